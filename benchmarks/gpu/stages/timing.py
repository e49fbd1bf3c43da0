"""Benchmark rows on the card: minigrad beside PyTorch's eager CUDA, timed with events.

Both run in this process and take turns, each of them first in every other round; a step lies
between two events on the stream, so what counts is the longer of Python's time and the card's. The
cases are those of benchmarks/cases, and a large one. Before a case is timed its engines must agree.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator

from benchmarks.case import Case, module_name
from benchmarks.cases import CASES
from benchmarks.cases.mlp import mlp
from benchmarks.gpu import engines
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, PASSED, Row, in_a_line, left_out
from benchmarks.pair import STEPS, Differ, agree, numbers, take_turns
from benchmarks.rounds import spread

LARGE = mlp("mlp-large", 4096, 4096, 4096, 1000, batch=4096)
NAMES = (
    "chain", "mlp-small", "mlp-medium", "conv", "residual-w4", "residual-w256", "depth",
    "elementwise",
)  # fmt: skip
ROUNDS, SECONDS = 9, 0.15  # and so many seconds of steps of an engine in each
LEAST, MOST = 3, 200  # steps of an engine in a round
TRIAL, TRIED = 1, ("chain", "mlp-small")  # rounds and cases on the stand-in
NOT_TIMED = "not on a simulated card: it ran, and its clock would be numpy's"


def rows(place: Place) -> Iterator[Row]:
    cases = [CASES[name] for name in (TRIED if place.simulated else NAMES)]
    why = engines.why_no_torch(place)
    if why:
        yield left_out(f"beside {engines.torch_name(place)}", why)
    for case in cases + ([] if place.simulated else [LARGE]):
        if place.has_time():
            yield from of_case(place, case, with_torch=not why)
        else:
            yield left_out(case.name, "the time was spent")


def of_case(place: Place, case: Case, with_torch: bool) -> Iterator[Row]:
    try:
        found = measured(place, case, asked(case, with_torch))
    except Exception as error:  # out of memory, say: the other cases are to be timed
        words = f"its engines differ: {error}" if isinstance(error, Differ) else in_a_line(error)
        yield Row(case.name, "", FAILED, words)
        return
    if place.simulated:
        yield left_out(case.name, NOT_TIMED)
        return
    yield from figures(case, found)


def asked(case: Case, with_torch: bool) -> list[str]:
    """The engines that compute on a card."""
    modules = ("minigrad", "torch") if with_torch else ("minigrad",)
    return [engine for engine in case.engines if module_name(engine) in modules]


def measured(place: Place, case: Case, names: list[str]) -> dict[str, list[float]]:
    """{engine: seconds of a step, one a round}."""
    clocks = host_clocks() if place.simulated else event_clocks(names)
    sides = [OnCard(place, case, name, clocks[module_name(name)]) for name in names]
    agree({side.engine: [numbers(side.step()) for _ in range(STEPS)] for side in sides})
    rounds, seconds = (TRIAL, 0.0) if place.simulated else (ROUNDS, SECONDS)
    turns = take_turns(sides, rounds, lambda side: side.time(seconds))
    return {side.engine: times for side, times in turns.items()}


class OnCard:
    """A side as in benchmarks/pair.py, by the clock of the card."""

    def __init__(self, place: Place, case: Case, engine: str, clock: Callable):
        with on_device(place, engine):
            self.step = case.step(engine)
        self.engine, self.clock = engine, clock

    def time(self, seconds: float) -> float:
        once = self.clock(self.step)  # discarded, but for what it says of the size of a step
        steps = max(LEAST, min(MOST, int(seconds / max(once, 1e-9))))
        return statistics.median(self.clock(self.step) for _ in range(steps))


def on_device(place: Place, engine: str):
    """What a case prepares is made on the card; the steps run outside, where PyTorch is quicker."""
    if module_name(engine) == "minigrad":
        return place.default()
    if place.simulated:
        return contextlib.nullcontext()
    import torch

    engines.full_precision(torch)
    return torch.device("cuda")


def event_clocks(names: list[str]) -> dict[str, Callable]:
    """{module: function of a step that gives its seconds, by that module's events}."""
    clocks = {"minigrad": cupy_clock()}
    if any(module_name(name) == "torch" for name in names):
        clocks["torch"] = torch_clock()
    return clocks


def cupy_clock() -> Callable:
    import cupy

    def seconds_of(step) -> float:
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        step()
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(start, end) / 1e3

    return seconds_of


def torch_clock() -> Callable:
    import torch

    def seconds_of(step) -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        step()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    return seconds_of


def host_clocks() -> dict[str, Callable]:
    def seconds_of(step) -> float:
        start = time.perf_counter()
        step()
        return time.perf_counter() - start

    return {"minigrad": seconds_of, "torch": seconds_of}


def figures(case: Case, found: dict) -> Iterator[Row]:
    """A row for each engine, and one for each ratio of two."""
    for engine, seconds in found.items():
        micro = statistics.median(seconds) * 1e6
        yield Row(
            f"{case.name}: {engine}", "", PASSED, f"{micro:,.0f} us a step", {"microseconds": micro}
        )
    for engine, over in case.pairs:
        if engine in found and over in found:
            ratio = {"engine": engine, "over": over} | spread(found[engine], found[over])
            words = f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"
            yield Row(f"{case.name}: {engine} over {over}", "", PASSED, words, ratio)
