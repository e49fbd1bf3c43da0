"""`python -m course.build.text`: which notebooks have not the text of their lesson. Seconds.

Nothing is run, so outputs are not looked at: `python3 run.py check` proves those, too.
"""

import sys

from . import current, tables
from .make import BrokenSources, load, stale
from .products import products
from .project import Project


def problems(project):
    """One sentence for each notebook or table that was not built after its source was changed."""
    lessons = load(project)
    for product in (made for lesson in lessons for made in products(lesson)):
        stored, why_not = current.read(project, product)
        yield from [why_not] if why_not else current.other_text(stored, product)[:1]
    for path in stale(project, lessons):
        yield f"{path.relative_to(project.root)}: no source gives it; run python3 run.py build"
    yield from tables.stale(project, lessons[0].outline)


def main(project=None):
    """Print what is found; gives the exit code."""
    try:
        found = list(problems(project or Project()))
    except BrokenSources as error:
        print(error, file=sys.stderr)
        return 2
    for sentence in found:
        print(sentence, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
