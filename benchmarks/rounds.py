"""Measuring a case: each pair of its programs in a process of its own, then its figures.

Refuses to know how a turn is timed, and how a table looks.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchmarks import bars
from benchmarks.case import Case
from benchmarks.child import Died, ask, installed, missing

Pair = tuple[str, str]


@dataclass(frozen=True)
class Effort:
    """How many rounds, how many seconds a turn takes in each, and whether of all the pairs."""

    rounds: int
    seconds: float
    all: bool = True

    def with_rounds(self, rounds: int) -> Effort:
        return replace(self, rounds=rounds)

    def pairs(self, case: Case) -> list[Pair]:
        """A quick run has those with a bar, or else the first one."""
        barred = [pair for pair in case.pairs if bars.of(case.name, *pair)]
        return case.pairs if self.all else barred or case.pairs[:1]


def measure_all(cases, effort: Effort, say: Callable[[str], None], done: list) -> None:
    """Append the result of each case to `done` as soon as it is whole."""
    for case in cases:
        say(f"{case.name}: {case.title} ...")
        done.append(measure(case, effort))


def measure(case: Case, effort: Effort) -> dict:
    """Everything that is known of a case, as plain data."""
    pairs = effort.pairs(case)
    left_out = missing(engine for pair in pairs for engine in pair)
    ratios = []
    for engine, over in pairs:
        if installed(engine) and installed(over):
            try:
                ratios.append(ratio(engine, over, answer(case, engine, over, effort)))
            except Refused as refusal:
                left_out.append(str(refusal))
    if effort.all and case.ledger:
        try:
            add_peaks(ratios, ask("peaks", case.name))
        except Died as death:
            left_out.append(f"{case.name}: the most bytes are left out: {death}")
    return {"case": case.name, "title": case.title, "ratios": ratios, "left out": left_out}


def add_peaks(ratios: list[dict], peaks: dict[str, int]) -> None:
    for row in ratios:
        if row["engine"] in peaks and row["over"] in peaks:
            row["peak"] = round(peaks[row["engine"]] / peaks[row["over"]], 4)


class Refused(Exception):
    """The text is one sentence: why there is no ratio."""


def answer(case: Case, engine: str, over: str, effort: Effort) -> dict:
    try:
        given = ask("pair", case.name, engine, over, effort.rounds, effort.seconds)
    except Died as death:
        raise Refused(f"{case.name}, {engine} over {over}, is left out: {death}") from None
    if "differ" in given:
        raise Refused(f"{case.name} is refused, its engines differ: {given['differ']}.")
    return given


def ratio(engine: str, over: str, given: dict) -> dict:
    """What is formed in each round, as quartiles over the rounds; and what is known beside it."""
    row: dict = {"engine": engine, "over": over} | spread(*given["seconds"])
    for name in "seconds", "faults":
        row[name] = [statistics.median(each) for each in given[name]]
    if given["not counted"]:
        row["not counted"] = given["not counted"]
    else:
        row["instructions"] = spread(*given["instructions"])["median"]
    return row


def spread(ours: list[float], theirs: list[float]) -> dict[str, float]:
    """The ratio of each round: its quartiles over the rounds."""
    low, middle, high = quartiles([a / b for a, b in zip(ours, theirs, strict=True)])
    return {"median": middle, "low": low, "high": high}


def quartiles(values: list[float]) -> list[float]:
    if len(values) == 1:
        values = values * 2
    return [round(q, 4) for q in statistics.quantiles(values, n=4, method="inclusive")]
