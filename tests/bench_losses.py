"""Prints what each installed engine computes in each case, as JSON; a process of its own, because
the threads of a BLAS are counted when it is loaded, and two of them disturb each other here."""

import json
import sys

import bench_plain

from benchmarks import pair
from benchmarks.cases import CASES
from benchmarks.child import installed


def losses(case):
    engines = [engine for engine in case.engines if installed(engine)]
    found = {engine: pair.losses(pair.Side(case, engine)) for engine in engines}
    if case.name in bench_plain.STEPS:
        step = bench_plain.STEPS[case.name](case.numbers())
        found["by hand"] = [pair.numbers(step()) for _ in range(pair.STEPS)]
    return found


if __name__ == "__main__":
    print(json.dumps({name: losses(CASES[name]) for name in sys.argv[1:]}))
