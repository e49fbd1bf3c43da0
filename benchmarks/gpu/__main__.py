"""`python -m benchmarks.gpu`: the stages, the table, the files. run.py calls it."""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import sys
from pathlib import Path

from benchmarks.gpu import plan
from benchmarks.gpu.row import FAILED, Row

ROOT = Path(__file__).resolve().parents[2]
RESULTS, RECORDS = ROOT / "benchmarks" / "results", ROOT / "course" / "data"
NO_NUMPY = "numpy is not installed for this Python ({}): pip install numpy"
STOPPED = "\nStopped: nothing was written."


def main(words=None) -> int:
    options = parser().parse_args(words)
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


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m benchmarks.gpu")
    found.add_argument("stages", nargs="*", help="only these")
    found.add_argument("--simulate", action="store_true", help="on the stand-in")
    found.add_argument("--out", type=Path, help="where the files go")
    found.add_argument("--share", type=float, default=1.0, help="so much of the time of a stage")
    return found


def run(options, stages) -> int:
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


def written(options, facts: dict, found: dict) -> list[Path]:
    """The files. A simulated run writes only where it is told to: its figures are nobody's."""
    from benchmarks.gpu import record, report

    if options.simulate and options.out is None:
        return []
    whole = not (options.simulate or options.stages or options.share != 1)
    paths = report.save(facts, found, options.out or RESULTS, whole)
    recorded = record.save(facts, found.get("lesson", []), options.out or RECORDS)
    return paths + ([recorded] if recorded else [])


def say(text: str) -> None:
    print(text, flush=True)


def refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
