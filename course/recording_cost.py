"""Lesson 13: which part of a step goes into recording the graph, by the processor's clock."""

import statistics
import time

import minigrad as mg

RUNS = 15


def seconds(call):
    """The processor's seconds that one call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def share(forward):
    """Percent of forward and backward that recording takes, by medians.

    Recording is the forward as always, less the same under `no_grad`.
    Noise may make it negative.
    """

    def both():
        forward().backward()

    whole, recorded, bare = [], [], []
    for _ in range(RUNS):
        whole.append(seconds(both))
        recorded.append(seconds(forward))
        bare.append(seconds(mg.no_grad()(forward)))
    building = statistics.median(recorded) - statistics.median(bare)
    return 100 * building / statistics.median(whole)


def said(percent):
    """A share as text; what is below a hundredth is lost in the noise of the clock."""
    return f"~{percent:.0f} % measured" if percent >= 1 else "~0 % measured: lost in the noise"
