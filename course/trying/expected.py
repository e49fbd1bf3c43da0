"""What the references gave for the practice draw: the build writes it, `check` reads it."""

import json
from functools import cache
from pathlib import Path

from course.trying import cases

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "expected"


class NoAnswers(LookupError):
    """The outcomes of a lesson are not there; the text is one sentence with the remedy."""


def of(lesson, exercise, names):
    """{case name: outcome} of the reference for `check`'s own draw, for each of `names`."""
    try:
        found = _read(lesson)[exercise]
        return {name: found[name] for name in names}
    except (OSError, ValueError, KeyError):
        raise NoAnswers(
            f"the expected outcomes of {exercise} are missing: `python3 run.py build {lesson}` "
            "makes them, or clone the course again"
        ) from None


def to_text(outcomes):
    """The bytes of a file of outcomes, as text."""
    return json.dumps(outcomes, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@cache
def _read(lesson):
    own = cases.private_folder()
    if own and (own / "expected" / f"{lesson}.json").is_file():
        return json.loads((own / "expected" / f"{lesson}.json").read_text("utf-8"))
    return json.loads((FOLDER / f"{lesson}.json").read_text("utf-8"))
