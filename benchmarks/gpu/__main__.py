"""`run.py gpu`: the stages, the table, the files."""

from __future__ import annotations

import datetime
import importlib.util
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.gpu import plan
from benchmarks.gpu.row import FAILED, Row

ROOT = Path(__file__).resolve().parents[2]
RESULTS, RECORDS = ROOT / "benchmarks" / "results", ROOT / "course" / "data"
NO_NUMPY = "numpy is not installed for this Python ({}): pip install numpy"
STOPPED = "\nStopped: nothing was written."


@dataclass(frozen=True)
class Options:
    """As run.py has read them."""

    stages: list[str] = field(default_factory=list)  # none: all
    simulate: bool = False
    out: str | None = None
    share: float = 1.0  # so much of the time of a stage


def main(**given: Any) -> int:
    options = Options(**given)
    try:
        stages = plan.scaled(plan.chosen(options.stages), options.share)
    except plan.UnknownStage as unknown:
        return refuse(str(unknown))
    if importlib.util.find_spec("numpy") is None:
        return refuse(NO_NUMPY.format(sys.executable))
    try:
        return run(options, stages)
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        return 130


def run(options: Options, stages) -> int:
    """0 if everything passed, 1 if something failed, 2 if there is no card."""
    from benchmarks.gpu import report, runner

    facts, why = known(runner.rows_of(plan.FACTS, options.simulate, plan.FACTS.share))
    if why:
        return refuse(f"No run on a card: {why}.")
    say(f"On a {facts['device']}.")
    found = runner.run_all(stages, options.simulate, say)
    say("\n" + report.table(found))
    for path in written(options, facts, found):
        say(f"Written: {path}")
    return 0 if report.good(found) else 1


def known(rows) -> tuple[dict, str]:
    """({name: fact}, ""), or why there is no card."""
    last = Row("card", "", FAILED, "its stage said nothing")
    for last in rows:
        if last.outcome == FAILED:
            break
    if last.outcome == FAILED:
        return {}, last.detail
    return {**last.figures, "date": datetime.date.today().isoformat()}, ""


def written(options: Options, facts: dict, found: dict) -> list[Path]:
    """The files. A simulated run writes only where it is told to: its figures are nobody's."""
    from benchmarks.gpu import record, report

    if options.simulate and options.out is None:
        return []
    whole = not (options.simulate or options.stages or options.share != 1)
    paths = report.save(facts, found, Path(options.out or RESULTS), whole)
    recorded = record.save(facts, found.get("lesson", []), Path(options.out or RECORDS))
    return paths + ([recorded] if recorded else [])


def say(text: str) -> None:
    print(text, flush=True)


def refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(**json.loads("".join(sys.argv[1:]) or "{}")))
