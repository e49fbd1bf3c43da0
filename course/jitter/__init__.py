"""Another processor on this one: inexact float results are moved by a few units in the last place.

A product, a sum, an exp or a tanh comes out a little different on another processor, because it
adds in another order or has another kernel. While jitter is on, numpy's results of such calls are
moved by up to 4 units in the last place. How far depends on the seed, the call, and the bytes that
went in, so that the same call gives the same result again. Results that any order of summation
gives exactly are left alone: what a lesson prints must rest on those, or on a tolerance.

    with jitter.on("7"):
        np.exp(x) @ w

The seed "7x16" moves 16 times as far: what stays the same then has a margin.
"""

import os
from contextlib import contextmanager

from . import known, loops, moves, sums

VARIABLE = "MINIGRAD_JITTER"  # a process started with it, and with START on its path, is jittered
START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "start")


def start(seed: str) -> None:
    """Move results in this process from now on, as `seed` says."""
    seed, _, times = seed.partition("x")
    known.forget()
    moves.most[0] = moves.MOST * int(times or 1)
    loops.start(seed)
    sums.start(seed)


def stop() -> None:
    """numpy as it was."""
    loops.stop()
    sums.stop()


@contextmanager
def on(seed: str):
    """Results are moved inside the block."""
    start(seed)
    try:
        yield
    finally:
        stop()


def environment(seed: str, given: dict) -> dict:
    """`given` and what makes a new Python process begin jittered."""
    paths = [START, given.get("PYTHONPATH", "")]
    return given | {VARIABLE: seed, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
