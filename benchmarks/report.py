"""The figures as files: all of them in JSON, a table in Markdown, a picture.

Refuses to know how anything was measured.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks import machine, picture

COLUMNS = (
    "case", "engine", "over", "ratio", "quartiles", "its microseconds", "peak bytes", "page faults",
)  # fmt: skip
NOTES = """\
A ratio is the engine's CPU time over that of the engine it is compared with, formed round by round:
the median over the rounds, and the quartiles. Below 1 is faster. "peak bytes" is the ratio of the
most bytes that a step held beside parameters and data, by minigrad's ledger and by the one that the
course lends to PyTorch; no clock is involved (a replay keeps the buffers of all its operations).
"page faults" are those of the engine in one step; "heap kept" is the same engine after glibc was
brought to keep freed memory; so are the hand-written MLPs in numpy, and minigrad by its import.
"""


def save(results: dict, folder: Path) -> list[Path]:
    """Write what is there; gives the files. Some cases, or a quick run, overwrite no whole run."""
    folder.mkdir(parents=True, exist_ok=True)
    part = "" if "once" in results else "-part"
    name = f"{machine.slug(results['machine']['processor'])}-{results['date']}{part}"
    texts = {"json": json.dumps(results, indent=1) + "\n", "md": page(results)}
    if svg := picture.draw(results):
        texts["svg"] = svg
    paths = {folder / f"{name}.{kind}": text for kind, text in texts.items()}
    for path, text in paths.items():
        path.write_text(text, encoding="utf-8")
    return list(paths)


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
    return aligned([list(COLUMNS), *(row for case in cases for row in case_rows(case))])


def case_rows(case: dict) -> list[list[str]]:
    """The engine that the others are compared with first, if it was there; then each ratio."""
    rows = []
    compared = {ratio["engine"] for ratio in case.get("ratios", ())}
    for engine, figures in case.get("engines", {}).items():
        if engine not in compared:
            rows.append([case["case"], engine, "", "", "", *own(figures, "")])
    for ratio in case.get("ratios", ()):
        quartiles = f"{ratio['low']:.2f} to {ratio['high']:.2f}"
        peak = f"{ratio['peak']:.2f}" if "peak" in ratio else ""
        figures = own(case["engines"][ratio["engine"]], peak)
        engine, over = ratio["engine"], ratio["over"]
        rows.append([case["case"], engine, over, f"{ratio['median']:.2f}", quartiles, *figures])
    return rows


def own(figures: dict, peak: str) -> list[str]:
    microseconds, faults = figures["microseconds"], figures["page faults per step"]
    return [f"{microseconds:,.0f}", peak, f"{faults:,.0f}"]


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
    return "\n".join(f"- {name}: {value}" for name, value in results.get("once", {}).items())


def left_out(cases: list[dict]) -> str:
    """Each sentence about what is not in the table, once."""
    said = [case["refused"] for case in cases if "refused" in case]
    said += [sentence for case in cases for sentence in case.get("left out", ())]
    return "\n".join(f"- {sentence}" for sentence in dict.fromkeys(said))
