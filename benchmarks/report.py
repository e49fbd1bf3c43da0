"""The figures as files: all of them in JSON, a table in Markdown, a picture.

Refuses to know how anything was measured.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import bars, machine, picture

COLUMNS = (
    "case", "engine", "over", "ratio", "quartiles", "bar", "", "instructions", "its us", "over us",
    "peak bytes", "page faults",
)  # fmt: skip
NOTES = """\
A ratio is CPU time over CPU time. Both programs run in one process with one thread, warmed up, and
take turns; who is first changes from round to round. Each round gives a ratio; shown are the median
over the rounds and the quartiles. Below 1 is faster. A bar is the most that a ratio may be
(benchmarks/bars.py). "instructions" is the ratio of those that the processor counted. "its us" and
"over us" are the microseconds of a step of each. "peak bytes" is the ratio of the most bytes that a
step held beside parameters and data, by minigrad's ledger and by the one that the course lends to
PyTorch; no clock is involved (a replay keeps the buffers of all its operations). "page faults" are
the engine's in one step. glibc keeps freed memory for both, as minigrad's import has it do.
"""


def save(results: dict, folder: Path) -> list[Path]:
    """Write what is there; gives the files. Some cases, or a quick run, overwrite no whole run."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"json": json.dumps(results, indent=1) + "\n", "md": page(results)}
    if svg := picture.draw(results):
        texts["svg"] = svg
    paths = {folder / f"{name(results)}.{kind}": text for kind, text in texts.items()}
    for path, text in paths.items():
        path.write_text(text, encoding="utf-8")
    return list(paths)


def name(results: dict) -> str:
    part = "" if "once" in results else "-part"
    return f"{machine.slug(results['machine']['processor'])}-{results['date']}{part}"


def page(results: dict) -> str:
    """The Markdown page: what it was taken on, the table, what was left out."""
    parts = [f"# Speed, {results['date']}", header(results), NOTES, titles(results["cases"])]
    parts += [table(results["cases"])]
    parts += [text for text in (once(results), left_out(results["cases"])) if text]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def header(results: dict) -> str:
    facts = results["machine"] | {
        "rounds": str(results["rounds"]),
        "load average before and after": results["load"],
    }
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def titles(cases: list[dict]) -> str:
    return "\n".join(f"- {case['case']}: {case['title']}" for case in cases)


def table(cases: list[dict]) -> str:
    return aligned([list(COLUMNS), *rows(cases)])


def rows(cases: list[dict]) -> list[list[str]]:
    return [cells(case["case"], ratio) for case in cases for ratio in case["ratios"]]


def cells(case: str, ratio: dict) -> list[str]:
    engine, over, median = ratio["engine"], ratio["over"], ratio["median"]
    bar = bars.of(case, engine, over)
    judged = [f"{bar:.2f}", bars.verdict(median, bar)] if bar else ["", ""]
    counted = f"{ratio['instructions']:.2f}" if "instructions" in ratio else "not counted"
    peak = f"{ratio['peak']:.2f}" if "peak" in ratio else ""
    ours, theirs = (f"{seconds * 1e6:,.0f}" for seconds in ratio["seconds"])
    quartiles = f"{ratio['low']:.2f} to {ratio['high']:.2f}"
    faults = f"{ratio['faults'][0]:,.0f}"
    return [case, engine, over, f"{median:.2f}", quartiles, *judged, counted, ours, theirs, peak,
            faults]  # fmt: skip


def aligned(rows: list[list[str]]) -> str:
    """A Markdown table that is a table for the eye too; numbers stand on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [i > 2 for i in range(len(widths))]
    rule = ["-" * (w - r) + ":" * r for w, r in zip(widths, right, strict=True)]
    lines = []
    for row in (rows[0], rule, *rows[1:]):
        cells = zip(row, widths, right, strict=True)
        lines.append("| " + " | ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in cells) + " |")
    return "\n".join(lines)


def once(results: dict) -> str:
    return "\n".join(f"- {what}: {told(what, v)}" for what, v in results.get("once", {}).items())


def told(what: str, value) -> str:
    bar = bars.ONCE.get(what)
    if bar is None or isinstance(value, str):
        return str(value)
    return f"{value} (bar {bar:.2f}: {bars.verdict(value, bar)})"


def left_out(cases: list[dict]) -> str:
    """Each sentence about what is not in the table, once."""
    said = [sentence for case in cases for sentence in case["left out"]]
    return "\n".join(f"- {sentence}" for sentence in dict.fromkeys(said))
