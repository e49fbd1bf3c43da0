"""One table of all stages, and the files: JSON with every row, Markdown with the table.

Refuses to know how anything was tried.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from benchmarks.gpu.row import FAILED, LEFT_OUT, PASSED, Row
from benchmarks.machine import slug
from benchmarks.report import aligned

COLUMNS = "stage", "what", "outcome", "passed", "failed", "detail"
WIDE = 100  # characters of a detail in the table; the JSON has it whole
PARTS = """\
Only some stages were run, or on a stand-in: this is no record of a whole run on a card."""


def table(found: dict[str, list[Row]]) -> str:
    """A row for each group of each stage."""
    rows = [list(COLUMNS)]
    for stage, all_rows in found.items():
        for group in dict.fromkeys(row.group for row in all_rows):
            rows.append([stage, *summary([row for row in all_rows if row.group == group])])
    return aligned(rows)


def summary(rows: list[Row]) -> list[str]:
    """[what, outcome, passed, failed, detail] of the rows of one group."""
    count = {outcome: sum(row.outcome == outcome for row in rows) for outcome in (PASSED, FAILED)}
    outcome = FAILED if count[FAILED] else PASSED if count[PASSED] else LEFT_OUT
    detail = next((told(row) for kind in (outcome, LEFT_OUT) for row in rows
                   if row.outcome == kind and row.detail), "")  # fmt: skip
    return [
        cell(rows[0].group), outcome, str(count[PASSED]), str(count[FAILED]), cell(detail)
    ]  # fmt: skip


def told(row: Row) -> str:
    return f"{row.name}: {row.detail}" if row.outcome == FAILED else row.detail


def cell(text: str) -> str:
    text = text.replace("|", "\\|")
    return text if len(text) <= WIDE else text[: WIDE - 4] + " ..."


def good(found: dict[str, list[Row]]) -> bool:
    return not any(row.outcome == FAILED for rows in found.values() for row in rows)


def page(facts: dict, found: dict, whole: bool) -> str:
    """The Markdown page: what it ran on, the table, every failure."""
    head = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    parts = [f"# On {facts['device']}, {facts['date']}", head]
    parts += [] if whole else [PARTS.strip()]
    return "\n\n".join([*parts, table(found), *failures(found)]) + "\n"


def failures(found: dict[str, list[Row]]) -> list[str]:
    lines = [
        f"- {stage}, {row.group}, {row.name}: {row.detail}"
        for stage, rows in found.items()
        for row in rows
        if row.outcome == FAILED
    ]
    return ["\n".join(["What failed:", "", *lines])] if lines else []


def save(facts: dict, found: dict, folder: Path, whole: bool) -> list[Path]:
    """Write both files, named after the device; gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    name = slug(facts["device"]) + ("" if whole else "-part")
    rows = {stage: [dataclasses.asdict(row) for row in rows] for stage, rows in found.items()}
    texts = {
        "json": json.dumps({"facts": facts, "whole": whole, "stages": rows}, indent=1) + "\n",
        "md": page(facts, found, whole),
    }
    paths = {folder / f"{name}.{kind}": text for kind, text in texts.items()}
    for path, text in paths.items():
        path.write_text(text, encoding="utf-8")
    return list(paths)
