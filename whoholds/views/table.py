"""A recording by line or by module as tables: text, one HTML page without a script, JSON.

Turns with the same table are shown once.
"""

from __future__ import annotations

import html
import json
from itertools import groupby
from pathlib import Path

from whoholds.views.look import size_text

GROWN = 3  # turns, one after the other, each of which leaves more than the one before
STYLE = """
body { font: 14px sans-serif; margin: 16px auto; max-width: 960px; color-scheme: light dark; }
table { border-collapse: collapse; } td, th { padding: 2px 12px; text-align: right; }
td:first-child, th:first-child { text-align: left; font-family: monospace; }
tr { border-bottom: 1px solid #8884; }
"""


def parts(trace) -> list:
    """(heading, rows of text) of each turn that differs from the one before, the first first."""
    found, number = [], 1
    for turn, same in groupby(trace.turns):
        many = len(list(same))
        name = f"turn {number}" if many == 1 else f"turns {number} to {number + many - 1}, each"
        number += many
        head = f"{name}: {size_text(turn['after'])} alive at its end, peak "
        found.append((head + f"{size_text(turn['peak'])} at {turn['at']}", _rows(trace, turn)))
    return found


def _rows(trace, turn):
    """Texts for each row; numbers are bytes."""
    for row in turn["rows"]:
        yield [size_text(n) if isinstance(n, int) else n for n in trace.cells(row)]


def ending(trace) -> list:
    """The sentences after the tables: what grows, and the error."""
    ends = [turn["after"] for turn in trace.turns][-GROWN - 1 :]
    steps = [b - a for a, b in zip(ends, ends[1:], strict=False)]
    found = []
    if len(steps) == GROWN and min(steps) > 0:
        found.append(f"grows: +{size_text(min(steps))} a turn or more; whoholds.grows(step) says "
                     "who holds it")  # fmt: skip
    return [*found, *trace.lost, *[f"error {trace.error}"] * bool(trace.error)]


def text(trace) -> str:
    """The last table, and a line for each turn before that differs."""
    if not trace.turns:
        return "\n".join([trace.empty, *ending(trace)])
    *before, (head, rows) = [(head, list(rows)) for head, rows in parts(trace)]
    rows = [trace.heads, *rows]
    wide = [max(len(row[i]) for row in rows) for i in range(len(trace.heads))]
    table = ["  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in rows]
    return "\n".join([*(head for head, _ in before), head, *table, *ending(trace)])


def page(trace) -> str:
    title = html.escape(trace.title or f"{trace.detail}s")
    tables = [f"<h2>{html.escape(head)}</h2>{_table(trace, rows)}" for head, rows in parts(trace)]
    said = [f"<p>{html.escape(one)}</p>" for one in (trace.says, *ending(trace))]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        + "\n".join([*said, *(tables or [f"<p>{trace.empty}</p>"])])
        + "</body></html>\n"
    )


def _table(trace, rows) -> str:
    lines = [_line("th", trace.heads), *(_line("td", row) for row in rows)]
    return "<table>" + "\n".join(lines) + "</table>"


def _line(tag, cells) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def save(trace, path):
    path = Path(path)
    data = json.dumps(trace.to_json()) if path.suffix == ".json" else page(trace)
    path.write_text(data, encoding="utf-8")
    return path
