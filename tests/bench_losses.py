"""Prints what each installed engine computes in each case, as JSON; a process of its own, because
the threads of a BLAS are counted when it is loaded, and two of them disturb each other here."""

import json
import sys

import bench_plain

from benchmarks import worker
from benchmarks.cases import CASES
from benchmarks.crew import installed


def losses(case, steps):
    engines = [engine for engine in case.engines if installed(engine)]
    found = {engine: worker.losses(case, engine, {}, steps) for engine in engines}
    if case.name in bench_plain.STEPS:
        step = bench_plain.STEPS[case.name](case.numbers())
        found["by hand"] = [worker.numbers(step()) for _ in range(steps)]
    return found


if __name__ == "__main__":
    found = {name: losses(case, int(sys.argv[1])) for name, case in CASES.items()}
    print(json.dumps(found))
