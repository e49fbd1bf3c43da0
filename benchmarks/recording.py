"""What a recording costs: the time of a program in `memory.record()` over its time outside.

    python benchmarks/recording.py [rounds]

One process on one core; recorded and unrecorded take turns, and the ratio is formed round by
round. Timed is the program inside the block. What a recording costs once, entering and leaving
it, and the translation of its notes into events, done when the trace is first read, stand apart.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import contextlib
import gc
import statistics
import sys
import time

import minigrad as mg

now = time.process_time


def chain(watch, n=1000, shape=(4,)):
    """n operations on 4 elements, two lines of the block's own frame in turn, and backward."""
    x = mg.ones(shape, requires_grad=True)
    factor, term = mg.full(shape, 1.001), mg.full(shape, 0.001)
    with watch() as trace:
        start = now()
        y = x
        for _ in range(0, n, 2):
            y = y * factor
            y = y + term
        y.sum().backward()
        seconds = now() - start
    return seconds, trace


def called(watch):
    """The same in a function that the block calls: no names are followed there."""
    with watch() as trace:
        seconds, _ = chain(contextlib.nullcontext)
    return seconds, trace


def layers(watch, n=6, size=256, steps=4):
    """Some steps, forward and backward, of n layers of matmul, bias and tanh on size x size."""
    data = mg.ones(size, size) / size
    weights = [mg.full((size, size), 0.01, requires_grad=True) for _ in range(n)]
    biases = [mg.full((size,), 0.01, requires_grad=True) for _ in range(n)]
    with watch() as trace:
        start = now()
        for _ in range(steps):
            x = data
            for w, b in zip(weights, biases, strict=True):
                x = (x @ w + b).tanh()
            x.sum().backward()
        seconds = now() - start
    return seconds, trace


def elementwise(watch):
    """60 products and sums on 256 x 256: the least work that so many bytes can ask for."""
    return chain(watch, n=60, shape=(256, 256))


def round_of(program):
    """(unrecorded, recorded, entering and leaving, translating) in seconds, and the events."""
    gc.collect()  # what the round before has left must not be cleared away at this one's cost
    alone, _ = program(contextlib.nullcontext)
    gc.collect()
    start = now()
    watched, trace = program(mg.memory.record)
    whole = now() - start
    start = now()
    events = len(trace.events)
    return alone, watched, whole - watched, now() - start, events


def middle(values):
    return "{1:.2f}  (quartiles {0:.2f} to {2:.2f})".format(*statistics.quantiles(values, n=4))


def report(program, rounds):
    for _ in range(3):
        round_of(program)
    rows = [round_of(program) for _ in range(rounds)]
    alone, watched, around, told, events = (statistics.median(c) for c in zip(*rows, strict=True))
    print(f"{program.__name__:12} recorded / not  {middle([r[1] / r[0] for r in rows])}")
    print(f"    {alone * 1e3:.2f} ms alone, {watched * 1e3:.2f} ms recorded, {rounds} rounds")
    print(f"    besides: {around * 1e3:.1f} ms before and after the program,", end=" ")
    print(f"{told / events * 1e6:.1f} us for each of {events:.0f} events, when the trace is read")


def main(rounds):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for program in (chain, called, layers, elementwise):
        report(program, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
