"""`python -m course.build build|check [NN ...]`: 0 done, 1 something is not proved, 2 bad input."""

import argparse
import asyncio
import sys
from pathlib import Path

from .check import check
from .make import BrokenSources, build
from .project import Project, UnknownLesson

INTERRUPTED = 130


def main(arguments=None, project=None):
    """Run the command line; gives the exit code."""
    options = _options(arguments)
    project = project or Project(root=options.root.resolve())
    command = build if options.command == "build" else check
    try:
        problems = asyncio.run(command(project, options.lessons, _say))
    except (BrokenSources, UnknownLesson) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. What was not finished was not written.", file=sys.stderr)
        return INTERRUPTED
    return 1 if problems else 0


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m course.build", description=__doc__)
    parser.add_argument("command", choices=("build", "check"))
    parser.add_argument("lessons", nargs="*", metavar="NN", help="lesson numbers; all if none")
    parser.add_argument("--root", type=Path, default=Project.root, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _say(text):
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
