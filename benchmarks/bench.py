"""`run.py bench`: which cases, how many rounds, where the figures go."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import bars, machine, readme, report
from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.child import ask
from benchmarks.once import once
from benchmarks.rounds import Effort, measure_all

OUT = Path(__file__).resolve().parent / "results"
WHOLE = Effort(rounds=25, seconds=0.1)
QUICK = Effort(rounds=25, seconds=0.01, all=False)


class UnknownCase(Exception):
    """The text is one sentence that names the cases there are."""


@dataclass(frozen=True)
class Options:
    cases: list[str] = field(default_factory=list)  # none: all
    rounds: int | None = None
    quick: bool = False
    out: Path = OUT


def bench(options: Options) -> int:
    """Measure, print the table, write the files. Ctrl-C keeps the cases that are finished."""
    cases = chosen(options)
    results = begun(options)
    stopped = False
    try:
        measure_all(cases, effort(options), say, results["cases"])
        if not (options.cases or options.quick):
            say("once: bytes of a node, a first %%step, a recording, an import ...")
            results["once"] = once()
    except KeyboardInterrupt:
        stopped = True
        say("\nStopped: the cases that are finished are kept.")
    results["load"] += f", {machine.load()}"
    finish(results, options.out)
    return 130 if stopped else 0


def chosen(options: Options) -> list[Case]:
    for name in options.cases:
        if name not in CASES:
            raise UnknownCase(f"There is no case {name}: choose from {', '.join(CASES)}.")
    if options.cases:
        return [CASES[name] for name in options.cases]
    barred = {case for case, *_ in bars.RATIOS}
    return [
        case
        for case in CASES.values()
        if not options.quick or (case.name in barred and not case.long)
    ]


def effort(options: Options) -> Effort:
    base = QUICK if options.quick else WHOLE
    return base if options.rounds is None else base.with_rounds(options.rounds)


def begun(options: Options) -> dict:
    return {
        "date": datetime.date.today().isoformat(),
        "machine": ask("machine"),
        "rounds": effort(options).rounds,
        "load": machine.load(),
        "cases": [],
    }


def finish(results: dict, out: Path) -> None:
    """Show the page and write the files, if there is anything to say."""
    if not results["cases"]:
        return
    say("\n" + report.page(results))
    for path in report.save(results, out):
        say(f"Written: {path}")
    if out.resolve() == OUT and "once" in results and results["rounds"] >= WHOLE.rounds:
        say(f"Written: {readme.write(results)}")


def say(text: str) -> None:
    print(text, flush=True)
