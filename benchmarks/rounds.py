"""Measuring a case: the engines agree first, then take turns, and each round gives its ratios.

Refuses to know how a worker is asked, and how a table looks.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks.case import Case, module_name
from benchmarks.crew import Died, crew, installed, missing

STEPS = 4  # that must agree
RELATIVE = 1e-3
WATCHED = "minigrad", "torch"  # a ledger counts the bytes of these
PEERS = "mygrad", "autograd", "micrograd"
NO_PEERS = "Quick: the other engines in Python, and PyTorch with its heap kept, are left out."


class Refused(Exception):
    """The text is one sentence: these engines do not compute the same."""


@dataclass(frozen=True)
class Effort:
    """How many rounds, how many seconds of steps of an engine in each, and of which engines."""

    rounds: int
    seconds: float
    peers: bool = True

    def with_rounds(self, rounds: int) -> Effort:
        return replace(self, rounds=rounds)

    def engines(self, case: Case) -> list[str]:
        def is_asked(engine):
            return self.peers or not (module_name(engine) in PEERS or "heap kept" in engine)

        return [engine for engine in case.engines if is_asked(engine)]


def measure(case: Case, effort: Effort) -> dict:
    """Everything that is known of a case, as plain data."""
    engines = effort.engines(case)
    left_out = missing(engines) + ([] if effort.peers else [NO_PEERS])
    with crew(case, [engine for engine in engines if installed(engine)]) as workers:
        agree(case, collect(workers, left_out, "losses", STEPS))
        answers = take_turns(workers, effort.rounds, effort.seconds, left_out)
        peaks = peak_bytes(workers, left_out)
    return result(case, answers, peaks) | {"left out": left_out}


def collect(workers: dict, left_out: list[str], *question) -> dict:
    """{engine: its answer}; who dies is struck from `workers`, with a sentence in `left_out`."""
    answers = {}
    for engine, worker in list(workers.items()):
        try:
            answers[engine] = worker.ask(*question)
        except Died as death:
            left_out.append(str(death))
            del workers[engine]
            worker.end()
    return answers


def agree(case: Case, losses: dict[str, list[list[float]]]) -> None:
    """Refuse to compare engines that do not compute the same."""
    if not losses:
        raise Refused(f"{case.name} is left out: no engine is left.")
    (first, expected), *others = losses.items()
    for engine, steps in others:
        for i, (one, other) in enumerate(zip(expected, steps, strict=True)):
            if not all(map(close, one, other)):
                said = f"step {i + 1} gives {one} with {first}, but {other} with {engine}"
                raise Refused(f"{case.name} is refused, its engines differ: {said}.")


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=RELATIVE)


def take_turns(workers: dict, rounds: int, seconds: float, left_out: list[str]) -> dict:
    """{engine: its answers}, one a round; who dies on the way has none."""
    found: dict[str, list] = {engine: [] for engine in workers}
    for _ in range(rounds):
        order = random.sample(list(workers), len(workers))
        shuffled = {engine: workers[engine] for engine in order}
        for engine, answer in collect(shuffled, left_out, "time", seconds).items():
            found[engine].append(answer)
        for engine in workers.keys() - shuffled.keys():
            del workers[engine]
    return {engine: found[engine] for engine in workers}


def peak_bytes(workers: dict, left_out: list[str]) -> dict[str, int]:
    """{engine: the most bytes in a step}, of the engines that have a ledger."""
    watched = {
        engine: worker
        for engine, worker in workers.items()
        if engine.startswith(WATCHED) and "recorded" not in engine
    }
    return collect(watched, left_out, "peak")


def result(case: Case, answers: dict, peaks: dict) -> dict:
    times = {engine: [a["seconds"] for a in given] for engine, given in answers.items()}
    engines = {
        engine: {
            "microseconds": round(statistics.median(times[engine]) * 1e6, 2),
            "page faults per step": round(statistics.median(a["faults"] for a in given), 1),
            "peak bytes": peaks.get(engine),
        }
        for engine, given in answers.items()
    }
    return {
        "case": case.name,
        "title": case.title,
        "engines": engines,
        "ratios": ratios(times, case.pairs, peaks),
    }


def ratios(times: dict[str, list[float]], pairs, peaks: dict[str, int]) -> list[dict]:
    """For each pair (engine, over whom): quartiles over the rounds, and the ratio of peak bytes."""
    rows = []
    for engine, over in pairs:
        if engine in times and over in times:
            each = [a / b for a, b in zip(times[engine], times[over], strict=True)]
            low, middle, high = quartiles(each)
            row = {"engine": engine, "over": over, "median": middle, "low": low, "high": high}
            if engine in peaks and over in peaks:
                row["peak"] = round(peaks[engine] / peaks[over], 4)
            rows.append(row)
    return rows


def quartiles(values: list[float]) -> list[float]:
    if len(values) == 1:
        values = values * 2
    return [round(q, 4) for q in statistics.quantiles(values, n=4, method="inclusive")]


def measure_all(cases, effort: Effort, say: Callable[[str], None], done: list) -> None:
    """Append the result of each case to `done` as soon as it is whole."""
    for case in cases:
        say(f"{case.name}: {case.title} ...")
        try:
            done.append(measure(case, effort))
        except Refused as refusal:
            done.append({"case": case.name, "title": case.title, "refused": str(refusal)})
