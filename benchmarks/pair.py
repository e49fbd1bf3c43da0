"""Two programs in one process: proved to compute the same, then timed in turns.

    python -m benchmarks.pair CASE ENGINE OVER ROUNDS SECONDS

prints a line of JSON. In a round each has a turn, and who is first changes from round to round.
Before a turn comes a step that does not count (where a step can be repeated), and the collector is
made to collect; then it is on, as a user has it. Freed memory is kept for both, as minigrad's
import has glibc do: else each new array of some size costs a page fault per 4 KiB, in numpy as in
PyTorch.

Refuses to know what becomes of the figures.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.case import Case
from benchmarks.instructions import counter

STEPS = 4  # that must agree
RELATIVE = 1e-3
MOST = 1000  # steps a turn
FIGURES = (0, "seconds"), (1, "instructions"), (2, "faults")  # what a turn gives, of a step


class Differ(Exception):
    """The text is the end of a sentence: what one computes, and what the other."""


@dataclass(eq=False)
class Side:
    """One of the two, and how many of its steps are timed in a turn."""

    case: Case
    engine: str
    kept: Callable | None = None
    steps: int = 1

    def step(self) -> Callable:
        """A new one, or else one that is warm."""
        if self.case.anew:
            return self.case.step(self.engine)
        self.kept = self.kept or self.case.step(self.engine)
        self.kept()
        return self.kept


def main(case: Case, engines: list[str], rounds: int, seconds: float) -> dict:
    count = counter()  # before there are threads that it could miss
    np.empty(32 * 2**20 - 8192, np.uint8)  # freed at once: it raises glibc's thresholds
    sides = [Side(case, engine) for engine in engines]
    agree({side.engine: losses(side) for side in sides})
    pin()  # from here on; imports may use every core
    for side in sides:
        side.steps = steps_in(side, seconds)
    counted = count if callable(count) else int
    turns = take_turns(sides, rounds, lambda side: turn(side, counted))
    return {
        **{name: [[each[k] for each in turns[side]] for side in sides] for k, name in FIGURES},
        "not counted": count if isinstance(count, str) else None,
    }


def pin() -> None:
    """One core for all of it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


# -- the same --


def losses(side: Side) -> list[list[float]]:
    step = side.case.step(side.engine)
    return [numbers(step()) for _ in range(1 if side.case.anew else STEPS)]


def numbers(result) -> list[float]:
    """The loss; and of a gradient the sum of its absolute values."""
    return [absolute_sum(value) for value in (result if isinstance(result, tuple) else (result,))]


def absolute_sum(value) -> float:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return float(np.abs(np.asarray(value), dtype=np.float64).sum())


def agree(losses: dict[str, list[list[float]]]) -> None:
    """Refuse to compare engines that do not compute the same."""
    (first, expected), *others = losses.items()
    for engine, steps in others:
        for i, (one, other) in enumerate(zip(expected, steps, strict=True)):
            if not all(map(close, one, other)):
                raise Differ(f"step {i + 1} gives {one} with {first}, but {other} with {engine}")


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=RELATIVE)


# -- the turns --


def steps_in(side: Side, seconds: float) -> int:
    """How many steps take about so long: at least one."""
    if side.case.anew:
        return 1
    once, _, _ = turn(side, int)
    return max(1, min(MOST, int(seconds / max(once, 1e-9))))


def take_turns(sides: list, rounds: int, turn: Callable) -> dict:
    """{side: what its turns gave}; who is first changes from round to round."""
    found: dict[Any, list] = {side: [] for side in sides}
    for i in range(rounds):
        for side in sides[:: -1 if i % 2 else 1]:
            found[side].append(turn(side))
    return found


def turn(side: Side, count: Callable[[], int]) -> tuple[float, float, float]:
    """CPU seconds, instructions and page faults of a step."""
    step = side.step()
    gc.collect(2 if side.case.anew else 1)  # neither pays for the other's garbage
    faults, counted, start = page_faults(), count(), time.process_time()
    for _ in range(side.steps):
        step()  # what it returns is dropped at once: the graph's end counts too
    seconds = time.process_time() - start
    counted, faults = count() - counted, page_faults() - faults
    return seconds / side.steps, counted / side.steps, faults / side.steps


def page_faults() -> int:
    with contextlib.suppress(ImportError):  # Windows has none
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return 0


if __name__ == "__main__":
    from benchmarks.cases import CASES

    name, one, other, rounds, seconds = sys.argv[1:]
    try:
        answer = main(CASES[name], [one, other], int(rounds), float(seconds))
    except Differ as difference:
        answer = {"differ": str(difference)}
    print(json.dumps(answer))
