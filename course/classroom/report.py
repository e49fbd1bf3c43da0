"""The class on two pages: who has what (the gradebook), and what is still misunderstood.

Both are made of the same book as grades.csv, so that no two of them can say different things.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote

from course.classroom.books import Book, Column, Row, counts, flags, tidy
from course.classroom.page import bar, document, paragraphs, prose, text
from course.classroom.records import RECORDS, stem

GRADEBOOK_CSS = """
body { max-width: none; }
.wide { overflow-x: auto; margin-top: 20px; }
.book { font-size: .9em; }
.book th { font-weight: 400; text-align: left; }
.book td { min-width: 30px; padding: 3px 5px; text-align: right; border: 1px solid var(--paper); }
.book .who { position: sticky; left: 0; min-width: 13em; max-width: 20em; padding: 3px 14px 3px 0;
  z-index: 1; overflow-wrap: anywhere; background: var(--paper); }
.book .sum { padding: 3px 10px; white-space: nowrap; }
.book .tall { height: 11em; vertical-align: bottom; padding: 4px 0; color: var(--soft); }
.book .tall span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.book .group { padding: 2px 5px; border-bottom: 2px solid var(--line); }
.book .first { border-left: 8px solid var(--paper); }
.book .means td, .book .means th { border-top: 2px solid var(--line); font-weight: 600; }
.none { color: var(--soft); text-align: center !important; }
.look::after { content: " \\2691"; color: var(--warm); }
.q3 { background: rgba(var(--cell), .5); } .q2 { background: rgba(var(--cell), .28); }
.q1 { background: rgba(var(--cell), .12); } .q0 { background: var(--card); }
.key span { padding: 1px 8px; margin-right: 4px; }
svg text { fill: var(--soft); font-size: 11px; text-anchor: middle; }
svg rect { fill: var(--accent); }
.book tr { break-inside: avoid; }
@media print { @page { size: A3 landscape; margin: 12mm; } .wide { overflow: visible; }
  .book { zoom: .72; } .book .who { position: static; } }
"""
HINTS_CSS = """
.told { width: 100%; font-size: .95em; table-layout: fixed; }
.told td { padding: 6px 14px 6px 0; border-top: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
.told td:first-child { width: 7em; white-space: nowrap; }
.told td:last-child { width: 34%; color: var(--soft); }
details p { font-size: .92em; }
summary { cursor: pointer; color: var(--soft); }
section { break-inside: avoid; }
"""


# --- the gradebook -------------------------------------------------------------------------


def gradebook(book: Book) -> str:
    return document("Gradebook: minigrad", GRADEBOOK_CSS, _gradebook(book))


def _gradebook(book: Book) -> Iterable[str]:
    yield "<h1>Gradebook</h1>"
    yield f'<p class="soft">{summary(book)}</p>'
    yield from paragraphs("flag", [book.remark] if book.remark else [])
    yield histogram([row.percent for row in book.rows])
    yield '<p>Next: <a href="misconceptions.html">what is still misunderstood</a></p>'
    yield '<div class="wide"><table class="book">'
    yield from _heads(book)
    yield from (_row(book, row) for row in book.rows)
    yield from _means(book)
    yield "</table></div>"
    yield (
        '<p class="soft key"><span class="q3">all points</span><span class="q2">half or '
        'more</span><span class="q1">less</span><span class="q0">0</span> \u2013 not handed in'
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


def _heads(book: Book) -> Iterable[str]:
    groups, names, points = [], [], []
    for lesson, columns in book.lessons().items():
        title = text(book.titles.get(lesson, ""))
        groups.append(
            f'<th class="group first" colspan="{len(columns)}" title="{title}">{text(lesson)}</th>'
        )
        for column in columns:
            edge = first(column, columns)
            names.append(f'<th class="tall{edge}"><span>{text(column.exercise)}</span></th>')
            points.append(f'<td class="none{edge}">{tidy(column.of * column.weight)}</td>')
    yield f'<thead><tr><th class="who"><th><th>{"".join(groups)}</tr>'
    yield '<tr><th class="who tall">learner<th class="tall">points<th class="tall">%'
    yield f"{''.join(names)}</tr>"
    yield (
        f'<tr class="soft"><th class="who">counts<td class="sum">{book.of}<td>'
        f"{''.join(points)}</tr></thead><tbody>"
    )


def first(column: Column, columns: list[Column]) -> str:
    """The class of the first cell of a lesson: a gap before it."""
    return " first" if column is columns[0] else ""


def _row(book: Book, row: Row) -> str:
    link = f"{RECORDS}/{quote(stem(row.student))}.html"
    look = ' class="look"' if flags(row.record) else ""
    cells = "".join(
        _cell(row.points[column.exercise], column, first(column, columns))
        for columns in book.lessons().values()
        for column in columns
    )
    return (
        f'<tr><th class="who"><a href="{link}"{look}>{text(row.name)}</a>'
        f'<td class="sum">{row.total}<td class="sum">{row.percent}{cells}</tr>'
    )


def _cell(points: float | None, column: Column, edge: str) -> str:
    if points is None:
        return f'<td class="none{edge}">\u2013'
    return f'<td class="{shade(points, column.of)}{edge}">{tidy(points * column.weight)}'


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
    yield (
        f'</tbody><tfoot class="means"><tr><th class="who">class, % of the points'
        f'<td class="sum">{total}<td class="sum">{book.mean}{cells}</tr></tfoot>'
    )


# --- misconceptions ------------------------------------------------------------------------


@dataclass
class Told:
    """One hint, however its numbers differ: whom it was told, in which cases, what they had."""

    said: Counter = field(default_factory=Counter)
    learners: list[Row] = field(default_factory=list)
    cases: Counter = field(default_factory=Counter)
    got: Counter = field(default_factory=Counter)

    @property
    def hint(self) -> str:
        """As it was told, or with # for numbers that were told differently."""
        said = next(iter(self.said))
        return said if len(self.said) == 1 else masked(said)


def misconceptions(book: Book) -> str:
    return document("Misconceptions: minigrad", HINTS_CSS, _misconceptions(book))


def _misconceptions(book: Book) -> Iterable[str]:
    yield "<h1>What is still misunderstood</h1>"
    yield (
        '<p class="soft">The hardest exercise first, by the share of its points that those who '
        'handed it in have. <a href="gradebook.html">Gradebook</a></p>'
    )
    tried = {column: handed_in(book, column) for column in book.columns}
    for column in sorted(book.columns, key=lambda c: share(tried[c], c)):
        if share(tried[column], column) < 1:
            yield from _exercise(book, column, tried[column])
    done = [c for c in book.columns if tried[c] and share(tried[c], c) >= 1]
    if done:
        yield f"<p>All points by all: {text(', '.join(c.exercise for c in done))}.</p>"
    absent = [column.exercise for column in book.columns if not tried[column]]
    yield from paragraphs("soft", [f"Handed in by nobody: {', '.join(absent)}."] if absent else [])


def handed_in(book: Book, column: Column) -> list[Row]:
    return [row for row in book.rows if row.points[column.exercise] is not None]


def share(rows: list[Row], column: Column) -> float:
    """Without anybody who tried there is nothing to say: such an exercise counts as done."""
    points = [row.points[column.exercise] or 0 for row in rows]
    return statistics.fmean(points) / column.of if points and column.of else 1


def _exercise(book: Book, column: Column, rows: list[Row]) -> Iterable[str]:
    percent = round(100 * share(rows, column))
    full = sum((row.points[column.exercise] or 0) >= column.of for row in rows)
    title = text(book.titles.get(column.lesson, ""))
    yield f"<section><h2><code>{text(column.exercise)}</code><b>{percent} %</b></h2>"
    yield (
        f'<p class="soft">{text(column.lesson)} {title} \u00b7 all points: {full} of {len(rows)}'
        f" who handed it in</p>{bar(percent)}"
    )
    yield '<table class="told">'
    yield from (_told(told) for told in hints(column, rows))
    yield "</table></section>"


def hints(column: Column, rows: list[Row]) -> list[Told]:
    """What was told most first. A learner counts once for a hint, in however many cases."""
    found: dict[str, Told] = {}
    for row in rows:
        for case in row.record["exercises"][column.exercise]["cases"]:
            if case["points"] < case["of"]:
                said = case["hint"] or case["got"] or ""
                told = found.setdefault(masked(said), Told())
                told.said[said] += 1
                told.cases[case["case"]] += 1
                told.got[case["got"] or ""] += 1
                if row not in told.learners:
                    told.learners.append(row)
    return sorted(found.values(), key=lambda told: (-len(told.learners), told.hint))


def masked(hint: str) -> str:
    """Bytes and lines differ from learner to learner; the mistake is the same."""
    return re.sub(r"(?<![A-Za-z_\d])(\d[\d,.]*\d|\d)", "#", hint)


def _told(told: Told) -> str:
    count = f"{len(told.learners)} learner{'s'[: len(told.learners) != 1]}"
    names = ", ".join(row.name for row in told.learners[:40])
    more = f" and {len(told.learners) - 40} more" if len(told.learners) > 40 else ""
    cases = ", ".join(f"{case} ({n})" for case, n in told.cases.most_common())
    got = told.got.most_common(1)[0][0]
    often = f"<br>often got: {text(got)}" if got != told.hint else ""
    return (
        f"<tr><td>{count}<td>{prose(told.hint)}<details><summary>who</summary>"
        f"<p>{text(names)}{more}</p></details><td>{text(cases)}{often}</tr>"
    )
