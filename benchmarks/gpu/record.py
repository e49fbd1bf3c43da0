"""The recorded run of lesson 14: what its cells printed on a card, for the lesson to show.

    {"device": "...", "date": "2026-11-22", "facts": {name: value},
     "cells": [{"cell": "14.pool", "prints": "..."}, ...]}

course/recorded.py reads it. Only cells that printed are in it; nothing in it is typed by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.gpu.row import FAILED, Row
from course import recorded


def save(facts: dict, rows: list[Row], folder: Path) -> Path | None:
    """Write the record to `folder`, unless a cell failed; gives its path."""
    if not rows or any(row.outcome == FAILED for row in rows):
        return None
    cells = [row.figures for row in rows if row.figures.get("prints")]
    record = {"device": facts["device"], "date": facts["date"], "facts": facts, "cells": cells}
    path = folder / recorded.PATH.name
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return path
