"""`python -m course.build build|check [NN ...]`: 0 done, 1 something is not proved, 2 bad input."""

import argparse
import sys
from pathlib import Path
from random import randrange

INTERRUPTED = 130


def main(arguments=None, project=None):
    """Run the command line; gives the exit code."""
    try:
        return _run(_options(arguments), project)
    except KeyboardInterrupt:
        print("Stopped. What was not finished was not written.", file=sys.stderr)
        return INTERRUPTED


def _run(options, project):
    import asyncio  # here, because Ctrl-C may come while all of this is being imported
    from functools import partial

    from .check import check
    from .make import BrokenSources, build
    from .nbgrader import write
    from .project import REPOSITORY, Project, UnknownLesson

    command = build if options.command == "build" else partial(check, seed=options.jitter)
    project = project or Project((options.root or REPOSITORY).resolve())
    try:
        if options.nbgrader:
            names = write(project, options.nbgrader)
            _say(f"{options.nbgrader}: an nbgrader source set of {len(names)} assignments")
            return 0
        return 1 if asyncio.run(command(project, options.lessons, _say)) else 0
    except (BrokenSources, UnknownLesson) as error:
        print(error, file=sys.stderr)
        return 2


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m course.build", description=__doc__)
    parser.add_argument("command", choices=("build", "check"))
    parser.add_argument(
        "lessons", nargs="*", metavar="NN", help="lesson numbers, or playground; all if none"
    )
    parser.add_argument(
        "--jitter",
        nargs="?",
        const=str(randrange(10**6)),
        metavar="SEED",
        help="check: run as on another processor, numbers moved by this seed, or by a new one",
    )
    parser.add_argument("--nbgrader", type=Path, metavar="DIR", help="write a source set there")
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    return parser.parse_intermixed_args(arguments)


def _say(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
