"""`run.py build` and `run.py check`: 0 done, 1 something is not proved, 2 bad input."""

import json
import sys
from typing import Any

INTERRUPTED = 130


def main(command, project=None, **options):
    """Run a command as run.py has read it; gives the exit code."""
    try:
        return _run(command, project, **options)
    except KeyboardInterrupt:
        print("Stopped. What was not finished was not written.", file=sys.stderr)
        return INTERRUPTED


def _run(command, project, lessons=(), nbgrader=None, jitter=None, private=None, collector=None):
    import asyncio  # here, because Ctrl-C may come while all of this is being imported
    from functools import partial

    from .check import check
    from .make import BrokenSources, build
    from .nbgrader import write
    from .private import opened
    from .project import REPOSITORY, Project, UnknownLesson

    run: Any = {"build": build, "check": partial(check, seed=jitter, collector=collector)}[command]
    try:
        own, _ = opened(private)
        project = own or project or Project(REPOSITORY)
        if own:
            return 1 if asyncio.run(_build_and_prove(own, lessons)) else 0
        if nbgrader:
            names = write(project, nbgrader)
            _say(f"{nbgrader}: an nbgrader source set of {len(names)} assignments")
            return 0
        return 1 if asyncio.run(run(project, lessons, _say)) else 0
    except (BrokenSources, UnknownLesson) as error:
        print(error, file=sys.stderr)
        return 2


async def _build_and_prove(project, lessons):
    """A teacher's own exercises are nobody's tests': what is built is proved at once."""
    from .check import check
    from .make import build

    return await build(project, lessons, _say) or await check(project, lessons, _say)


def _say(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], **json.loads("".join(sys.argv[2:]) or "{}")))
