"""`python -m whoholds [--steps N] [--save report.html] train.py --its --own arguments`."""

from __future__ import annotations

import argparse
import ast
import sys

from whoholds.engines import BRIEF, DETAILS, ENGINES, installed
from whoholds.program import Program
from whoholds.ways.script import Advisor


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m whoholds", description="Run a program and tell which bytes it keeps alive."
    )
    result.add_argument("--engine", choices=ENGINES, help="by default the one that it imports")
    result.add_argument(
        "--steps", type=positive, metavar="N", help="record until the optimizer has stepped N times"
    )
    result.add_argument(
        "--detail", choices=DETAILS, default="tensor",
        help="each tensor, or less at less cost: bytes by line, or at the boundaries of modules",
    )  # fmt: skip
    result.add_argument(
        "--ways", action="store_true",
        help="the program may be run again: try ways out of its error or its growth",
    )  # fmt: skip
    result.add_argument("--save", metavar="FILE", help="write the page (.html) or the data (.json)")
    result.add_argument("script", help="the program")
    result.add_argument("arguments", nargs=argparse.REMAINDER, help="its own")
    return result


def positive(text) -> int:
    """A number from 1 on."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"a number from 1 on is wanted, not {text!r}")
    return int(text)


def main(argv=None) -> None:
    """Run the script; then its report, after an error and on Ctrl-C, too."""
    options = parser().parse_args(argv)
    try:
        program = Program(options.script, "torch", options.steps, options.detail)
        program.engine = options.engine or imported(program.source)
    except (OSError, SyntaxError) as error:
        sys.exit(f"{options.script} cannot be read: {getattr(error, 'strerror', None) or error}")
    if options.steps and program.engine == "minigrad":
        sys.exit("--steps counts the steps of PyTorch's optimizers; leave it out for minigrad")
    if options.detail in BRIEF and program.engine != "torch":
        sys.exit(f"--detail {options.detail} tells of PyTorch; leave it out for minigrad")
    if not installed(program.engine):
        sys.exit(f"{options.script} needs {program.engine}, which is not installed here")
    if options.ways and options.detail in BRIEF:
        sys.exit("--ways needs --detail tensor: the others tell no holder")
    if options.ways:
        program.ended.append(Advisor(program, options.arguments).advise)
    program.ended.append(lambda trace: report(trace, options.save))
    ended = program.run(options.arguments)
    if isinstance(ended, SystemExit):
        sys.exit(ended.code)
    if ended is not None:  # as Python itself says it
        sys.excepthook(type(ended), ended, ended.__traceback__)
        sys.exit(130 if isinstance(ended, KeyboardInterrupt) else 1)


def imported(source) -> str:
    """The engine that a program imports; PyTorch, if it imports none or both."""
    nodes = list(ast.walk(ast.parse(source)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    roots = {name.partition(".")[0] for name in names}
    return "minigrad" if "minigrad" in roots and "torch" not in roots else "torch"


def report(trace, path) -> None:
    """Write the report; without a path the text goes to standard error."""
    if path is None:
        print(f"\n{trace}", file=sys.stderr)
        return
    try:
        print(f"written: {trace.save(path)}", file=sys.stderr)
    except OSError as error:
        print(f"{trace}\n\nthe report could not be written: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
