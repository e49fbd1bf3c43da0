"""The gradebook: who has what, the class on one page.

Made of the same book as grades.csv, so that no two of them can say different things. A plain table
without scripts; with them it sorts.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from course.classroom.books import Book, Column, Override, Row, counts, flags, tidy
from course.classroom.page import document, paragraphs, text
from course.classroom.records import RECORDS, stem

SORT = Path(__file__).with_name("gradebook.js").read_text("utf-8")
GRADEBOOK_CSS = """
body { max-width: none; }
.wide { overflow: auto; max-height: 96vh; margin-top: 20px; }
.book { font-size: .9em; border-collapse: separate; border-spacing: 0; }
.book th { font-weight: 400; text-align: left; }
.book td { min-width: 30px; padding: 3px 5px; text-align: right; border: 1px solid var(--paper); }
.book thead { position: sticky; top: 0; z-index: 2; background: var(--paper); }
.book tfoot { position: sticky; bottom: 0; z-index: 2; background: var(--paper); }
.book .who { position: sticky; left: 0; min-width: 13em; max-width: 20em; padding: 3px 14px 3px 0;
  z-index: 1; overflow-wrap: anywhere; background: var(--paper); }
.book .who small { display: block; color: var(--soft); font-size: .8em; white-space: nowrap; }
.book .sum { padding: 3px 10px; white-space: nowrap; }
.book .tall { height: 11em; vertical-align: bottom; padding: 4px 0; color: var(--soft); }
.book .tall span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.book .tall span, .book .tall button { max-height: 15em; overflow: hidden; }
.book .group { padding: 2px 5px; border-bottom: 2px solid var(--line); }
.book .first { border-left: 8px solid var(--paper); }
.book thead tr:last-child > * { border-bottom: 1px solid var(--line); }
.book tfoot td, .book tfoot th { border-top: 2px solid var(--line); font-weight: 600; }
.book tbody tr:hover .who { background: var(--card); }
.book .total { text-align: right; padding-right: 10px; }
.book button { all: unset; }
.book th:has(button) { cursor: pointer; }
.book th:has(button):hover { color: var(--accent); }
.book button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[aria-sort] { color: var(--accent) !important; font-weight: 600 !important; }
[aria-sort=ascending] button::after { content: " \\2191"; }
[aria-sort=descending] button::after { content: " \\2193"; }
.none { color: var(--soft); text-align: center !important; }
.look::after { content: " \\2691"; color: var(--warm); }
.own { font-weight: 600; box-shadow: inset 0 -3px var(--accent); }
.q3 { background: rgba(var(--cell), .5); } .q2 { background: rgba(var(--cell), .28); }
.q1 { background: rgba(var(--cell), .12); } .q0 { background: var(--card); }
.key { margin-top: 14px; line-height: 1.9; } .key span { padding: 1px 8px; margin-right: 4px; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; text-anchor: middle; }
svg rect { fill: var(--accent); }
.book tr { break-inside: avoid; }
@media (max-width: 600px) {
  body { padding: 20px 12px 40px; }
  .book .who { min-width: 8em; max-width: 38vw; padding-right: 8px; font-size: .93em; }
  .book .tall { height: 9em; } .book .tall span { max-height: 12em; }
}
@media print { @page { size: A3 landscape; margin: 12mm; }
  .wide { overflow: visible; max-height: none; } .book { zoom: .72; }
  .book .who, .book thead, .book tfoot { position: static; } }
"""


def gradebook(book: Book) -> str:
    return document("Gradebook: minigrad", GRADEBOOK_CSS, _gradebook(book), SORT)


def _gradebook(book: Book) -> Iterable[str]:
    yield "<h1>Gradebook</h1>"
    yield f'<p class="soft">{summary(book)}</p>'
    yield from paragraphs("flag", [book.remark] if book.remark else [])
    yield histogram([row.percent for row in book.rows])
    yield (
        '<p>Next: <a href="misconceptions.html">what is still misunderstood</a>'
        ' \u00b7 <a href="similar.html">who wrote alike</a></p>'
    )
    yield '<div class="wide" tabindex="0"><table class="book">'
    yield from _heads(book)
    yield from (_row(book, row) for row in book.rows)
    yield from _means(book)
    yield "</table></div>"
    yield (
        '<p class="soft key"><span class="q3">all points</span><span class="q2">half or '
        'more</span><span class="q1">less</span><span class="q0">0</span> \u2013 not handed in'
        ' \u00b7 <span class="own">set by hand</span>'
        ' \u00b7 <span class="look">a person should look</span></p>'
    )


def summary(book: Book) -> str:
    percents = [row.percent for row in book.rows] or [0]
    learners = f"{len(book.rows)} learner{'s'[: len(book.rows) != 1]}"
    learners = ", ".join([learners, *counts(book)])
    middle = tidy(statistics.median(percents))
    return f"{learners} \u00b7 {book.of} points \u00b7 mean {book.mean} % \u00b7 median {middle} %"


def histogram(percents: list[float]) -> str:
    """How many learners have 0-9 %, 10-19 %, ... and, in the last bar, 90-100 %."""
    bins = Counter(min(9, int(percent // 10)) for percent in percents)
    highest = max(bins.values(), default=1)
    drawn = []
    for place in range(10):
        height, x = round(64 * bins[place] / highest), 44 * place
        drawn.append(f'<rect x="{x + 4}" y="{80 - height}" width="36" height="{height}" rx="2"/>')
        drawn.append(
            f'<text x="{x + 22}" y="95">{10 * place}\u2013{(10 * place + 9, 100)[place == 9]}'
        )
        drawn.append(f'</text><text x="{x + 22}" y="{76 - height}">{bins[place] or ""}</text>')
    label = "How many learners have how many percent"
    return (
        f'<svg viewBox="0 0 440 100" width="440" height="100" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )


# --- the table -----------------------------------------------------------------------------


def _sums(book: Book) -> list[str]:
    """The columns before the exercises; that of the late days only where somebody is late."""
    return ["points", "%", *["days late"] * any(row.late for row in book.rows)]


def _heads(book: Book) -> Iterable[str]:
    groups, names, points = [], [], []
    for lesson, columns in book.lessons().items():
        title = text(book.titles.get(lesson, ""))
        groups.append(
            f'<th class="group first" colspan="{len(columns)}" title="{title}">{text(lesson)}</th>'
        )
        for column in columns:
            edge = first(column, columns)
            title = text(book.titles.get(column.exercise, ""))
            names.append(_sorted(text(column.exercise), f"tall{edge}", title=title))
            points.append(f'<td class="none{edge}">{tidy(column.of * column.weight)}</td>')
    sums = _sums(book)
    yield f'<thead><tr><th class="who">{"<th>" * len(sums)}{"".join(groups)}</tr>'
    yield f"<tr>{_sorted('learner', 'who tall', 'name')}"
    yield "".join(_sorted(name, "tall total") for name in sums)
    yield f"{''.join(names)}</tr>"
    yield (
        f'<tr class="soft"><th class="who">points at most<td class="sum">{book.of}'
        f"{'<td>' * (len(sums) - 1)}{''.join(points)}</tr></thead><tbody>"
    )


def _sorted(name: str, kind: str, by: str = "number", title: str = "") -> str:
    """The head of a column that can be sorted by."""
    inner = name if by == "name" else f"<span>{name}</span>"
    said = f' title="{title}"' if title else ""
    return f'<th scope="col" class="{kind}" data-sort="{by}"{said}>{inner}</th>'


def first(column: Column, columns: list[Column]) -> str:
    """The class of the first cell of a lesson: a gap before it."""
    return " first" if column is columns[0] else ""


def _row(book: Book, row: Row) -> str:
    link = f"{RECORDS}/{quote(stem(row.student))}.html"
    look = ' class="look"' if flags(row.record) else ""
    absent = "" if row.handed_in else "<small>handed in nothing</small>"
    cells = "".join(
        _cell(row, column, first(column, columns))
        for columns in book.lessons().values()
        for column in columns
    )
    sums: list[float | str] = [row.total, row.percent, row.late or ""]
    whole = row.overrides.get("")
    kind = "sum own" if whole and whole.points is not None else "sum"
    first_sum, *others = sums[: len(_sums(book))]
    more = "".join(f'<td class="sum">{value}' for value in others)
    return (
        f'<tr><th scope="row" class="who"><a href="{link}"{look}>{text(row.called)}</a>{absent}'
        f'<td class="{kind}"{_said(whole)}>{first_sum}'
        f"{more}{cells}</tr>"
    )


def _cell(row: Row, column: Column, edge: str) -> str:
    points, override = row.points[column.exercise], row.overrides.get(column.exercise)
    own = " own" if override and override.points is not None else ""
    if points is None:
        return f'<td class="none{edge}"{_said(override)}>\u2013'
    kind = f"{shade(points, column.of)}{edge}{own}"
    return f'<td class="{kind}"{_said(override)}>{tidy(points * column.weight)}'


def _said(override: Override | None) -> str:
    """The comment, for the mouse that rests on the cell."""
    return f' title="{text(override.comment)}"' if override and override.comment else ""


def shade(points: float, of: float) -> str:
    share = points / of if of else 0
    return "q" + str(sum(share >= bound for bound in (0.001, 0.5, 0.999)))


def _means(book: Book) -> Iterable[str]:
    cells = "".join(
        f'<td class="{shade(book.column_mean(column), 1)}{first(column, columns)}">'
        f"{100 * book.column_mean(column):.0f}"
        for columns in book.lessons().values()
        for column in columns
    )
    total = tidy(statistics.fmean([row.total for row in book.rows] or [0]))
    late = "<td>" * (len(_sums(book)) - 2)
    yield (
        f'</tbody><tfoot><tr><th class="who">class mean, of exercises in %'
        f'<td class="sum">{total}<td class="sum">{book.mean}{late}{cells}</tr></tfoot>'
    )
