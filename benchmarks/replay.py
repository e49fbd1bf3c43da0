"""A replay's time over that of the function itself, on the chain of 1000 mul/add on 4 elements.

    python benchmarks/replay.py [rounds]

One process on one core; the function and its replay take turns, and the ratio is formed round by
round. Both are whole steps: forward, backward, and dropping the gradient.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import statistics
import sys
import time

import minigrad as mg

N = 1000
STEPS = 10


def chain():
    """(the function, its leaf)."""
    leaf, factor, term = mg.ones(4, requires_grad=True), mg.full((4,), 1.001), mg.full((4,), 0.001)

    def step():
        y = leaf
        for _ in range(0, N, 2):
            y = y * factor
            y = y + term
        y.sum().backward()

    return step, leaf


def seconds(step, leaf):
    """The median CPU time of some steps."""
    times = []
    for _ in range(STEPS):
        leaf.grad = None
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main(rounds):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    step, leaf = chain()
    replayed = mg.replay.record(step)
    for call in (step, replayed):
        seconds(call, leaf)
    rows = [(seconds(step, leaf), seconds(replayed, leaf)) for _ in range(rounds)]
    low, middle, high = statistics.quantiles([b / a for a, b in rows], n=4)
    for name, times in zip(
        ("defined by running", "replayed"), zip(*rows, strict=True), strict=True
    ):
        each = statistics.median(times) / N * 1e9
        print(f"{name:18} {each:6.0f} ns per operation, forward and backward")
    print(f"replayed / run  {middle:.3f}  (quartiles {low:.3f} to {high:.3f}, {rounds} rounds)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
