"""README.md's table of bars, between `<!-- speed -->` and `<!-- end -->`: a whole run writes it."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks import bars, report
from benchmarks.child import ROOT

PAGE = ROOT / "README.md"
FOLDER = "benchmarks/results"
BLOCK = re.compile(r"(?<=<!-- speed -->\n)[\s\S]*?(?=<!-- end -->)")


def write(results: dict) -> Path:
    text = PAGE.read_text("utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: block(results), text), encoding="utf-8")
    return PAGE


def block(results: dict) -> str:
    """The ratios of what has a bar, and where the rest is, the bars too."""
    name = f"{FOLDER}/{report.name(results)}"
    rows = [row for row in report.rows(results["cases"]) if row[6]]
    ours = [float(row[3]) for row in rows if row[2].startswith("torch")]
    said = (
        f"minigrad takes {min(ours):g} to {max(ours):g} times PyTorch's CPU time." if ours else ""
    )
    lines = [said, ""] if said else []
    lines += ["| case | engine | over | ratio | quartiles |", "|---" * 5 + "|"]
    lines += [f"| {' | '.join(row[:5])} |" for row in rows]
    lines += [f"| {what} | | | {value} | |" for what, value, _, _ in once(results)]
    verdicts = [*(row[6] for row in rows), *(one[3] for one in once(results))]
    met = f"{verdicts.count('met')} of {len(verdicts)}"
    return "\n".join([
        *lines, "", f"Within [the bars that we set ourselves](benchmarks/bars.py): {met}.", "",
        f"[The whole table]({name}.md), of {results['rounds']} rounds on "
        f"{results['machine']['processor']}, {results['date']}.", "",
        f"![CPU time over PyTorch's, case by case]({name}.svg)", "",
    ])  # fmt: skip


def once(results: dict):
    """(what, figure, bar, verdict) of what was measured once and has a bar."""
    for what, bar in bars.ONCE.items():
        value = results["once"].get(what)
        if isinstance(value, float):
            yield what, value, bar, bars.verdict(value, bar)
