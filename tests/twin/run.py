"""Run cases by hand: `python -m tests.twin.run minigrad|torch [-k pattern] [-v]`.

Prints, for each case that differs from the golden file, what PyTorch said and what was said now.
`-v` prints whole reports. A pattern is found in names and titles, any case of letters; `-l` lists.
"""

import argparse
import sys
import traceback

from course.twin.compare import counted, differences
from tests.twin import golden, registry
from tests.twin.known import KNOWN_DIFFERENCES


def arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.run", description=__doc__)
    parser.add_argument("engine", choices=["minigrad", "torch"])
    parser.add_argument("-k", default="", metavar="PATTERN", help="only cases whose name or title")
    parser.add_argument("-v", action="store_true", help="print the whole report of each case")
    parser.add_argument("-l", action="store_true", help="list the cases, run none")
    parser.add_argument("-t", action="store_true", help="let an error of a case show its traceback")
    return parser.parse_args()


def chosen(pattern):
    pattern = pattern.lower()
    return {
        name: (title, function)
        for name, (title, function) in registry.all_cases().items()
        if pattern in name.lower() or pattern in title.lower()
    }


def show(name, title, found, verbose):
    """Print one case's outcome; return whether it is as PyTorch's."""
    expected = golden.load().get(name, [])
    wrong = [d for d in differences(expected, found) if d[0] not in KNOWN_DIFFERENCES.get(name, {})]
    if wrong or verbose:
        print(f"{'DIFFERS' if wrong else 'same'}  {name}  [{title}]")
    if verbose:
        for label, value in counted(found).items():
            print(f"    {label}: {value}")
    for label, one, other in wrong:
        print(f"    {label}\n        golden  {one}\n        now     {other}")
    return not wrong


def main():
    args = arguments()
    cases = chosen(args.k)
    if args.l:
        print("\n".join(f"{name}  [{title}]" for name, (title, _) in cases.items()))
        return 0
    mg = registry.engine(args.engine)
    good = 0
    for name, (title, function) in cases.items():
        if args.t:
            raised(function, mg)
        good += show(name, title, registry.run_case(function, mg), args.v)
    print(f"{good} of {len(cases)} cases are as recorded from PyTorch")
    return 0 if good == len(cases) else 1


def raised(function, mg):
    from course.twin.compare import Report

    try:
        function(mg, Report(mg))
    except Exception:
        traceback.print_exc(file=sys.stdout)


if __name__ == "__main__":
    raise SystemExit(main())
