"""What is still misunderstood: which mistakes a class made how often, the hardest exercise first.

Made of the same book as the gradebook.
"""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from course.classroom.books import Book, Column, Row
from course.classroom.naming import people
from course.classroom.page import bar, document, prose, text

CASES = Path(__file__).resolve().parents[1] / "cases"
SENTENCE = 20  # letters of a sentence with holes
MOST_NAMES = 40
DRAWN = "So to one of them; the numbers and names in it differ from learner to learner."
QUESTION = re.compile(r"^`[^`]+`: ")
QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\[[^\]]*\]|\((?=[\d-])[^)]*\)")
NUMBER = re.compile(r"(?<![A-Za-z_\d])-?(\d[\d,.]*\d|\d)(e[-+]?\d+)?")
MANY = re.compile(r"#(?:(?:, | x | and )#)+")  # a shape, or numbers in a row

HINTS_CSS = """
.told { width: 100%; font-size: .95em; table-layout: fixed; }
.told td { padding: 6px 14px 6px 0; border-top: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
.told td:first-child { width: 7em; white-space: nowrap; }
.told td:last-child { width: 34%; color: var(--soft); }
details p { font-size: .92em; }
summary { cursor: pointer; color: var(--soft); }
@media (max-width: 600px) {
  .told, .told tbody, .told tr, .told td { display: block; width: auto !important; }
  .told td { padding: 2px 0; border: 0; } .told td:first-child { padding-top: 8px; font-weight: 600;
    border-top: 1px solid var(--line); } .told td:last-child { padding-bottom: 8px; }
}
section { break-inside: avoid; }
"""


@dataclass
class Told:
    """One hint, however its numbers differ: whom it was told, in which cases, what they had."""

    said: Counter = field(default_factory=Counter)
    learners: list[Row] = field(default_factory=list)
    cases: Counter = field(default_factory=Counter)
    got: Counter = field(default_factory=Counter)

    hinted: bool = True  # or nothing was said but what came: not written yet, not tried

    @property
    def hint(self) -> str:
        """As it was told most often."""
        return self.said.most_common(1)[0][0]


def misconceptions(book: Book) -> str:
    return document("Misconceptions: minigrad", HINTS_CSS, _misconceptions(book))


def _misconceptions(book: Book) -> Iterable[str]:
    yield "<h1>What is still misunderstood</h1>"
    yield (
        '<p class="soft">The hardest exercise first, by the share of its points that those who '
        'handed it in have. In the <a href="gradebook.html">gradebook</a> others count as 0.</p>'
    )
    tried = {column: handed_in(book, column) for column in book.columns}
    for column in sorted(book.columns, key=lambda c: share(tried[c], c)):
        if share(tried[column], column) < 1:
            yield from _exercise(book, column, tried[column])
    learners = len(book.rows)
    done = [
        f"<code>{text(column.exercise)}</code> ({len(tried[column])} of {learners})"
        for column in book.columns
        if tried[column] and share(tried[column], column) >= 1
    ]
    if done:
        yield f"<p>All points by all who handed it in: {', '.join(done)}.</p>"
    absent = [text(column.exercise) for column in book.columns if not tried[column]]
    if absent:
        yield f'<p class="soft">Handed in by nobody: {", ".join(absent)}.</p>'


def handed_in(book: Book, column: Column) -> list[Row]:
    return [row for row in book.rows if row.points[column.exercise] is not None]


def share(rows: list[Row], column: Column) -> float:
    """Without anybody who tried there is nothing to say: such an exercise counts as done."""
    points = [row.points[column.exercise] or 0 for row in rows]
    return statistics.fmean(points) / column.of if points and column.of else 1


def _exercise(book: Book, column: Column, rows: list[Row]) -> Iterable[str]:
    percent = round(100 * share(rows, column))
    full = sum((row.points[column.exercise] or 0) >= column.of for row in rows)
    title, own = (text(book.titles.get(id, "")) for id in (column.lesson, column.exercise))
    named = f"<span><code>{text(column.exercise)}</code> {own}</span>"
    yield f"<section><h2>{named}<b>{percent} %</b></h2>"
    yield (
        f'<p class="soft">{text(column.lesson)} {title} \u00b7 all points: {full} of {len(rows)}'
        f" who handed it in</p>{bar(percent)}"
    )
    yield '<table class="told">'
    yield from (_told(told) for told in hints(column, rows))
    yield "</table></section>"


def hints(column: Column, rows: list[Row]) -> list[Told]:
    """What was told most first. A learner counts once for a hint, in however many cases.

    What is right and waits for another case is no misconception; what nobody tried comes last.
    """
    found: dict[str, Told] = {}
    for row in rows:
        for case in row.record["exercises"].get(column.exercise, {"cases": []})["cases"]:
            if case["points"] < case["of"] and not case.get("waits"):
                said = case["hint"] or case["got"] or ""
                told = found.setdefault(masked(said), Told(hinted=bool(case["hint"])))
                told.said[said] += 1
                told.cases[case["case"]] += 1
                told.got[case["got"] or ""] += 1
                if row not in told.learners[-1:]:  # they come one after another
                    told.learners.append(row)
    return sorted(found.values(), key=lambda t: (not t.hinted, -len(t.learners), t.hint))


def masked(hint: str) -> str:
    """The hint without what was drawn for one learner; the mistake is the same.

    Drawn are the question before the hint's colon, what a hint of the course fills in, what is
    between quotes, lists, shapes and numbers.
    """
    hint = QUESTION.sub("`\u2026`: ", hint)
    for template, blank in templates():
        hint = template.sub(blank, hint)
    hint = QUOTED.sub("\u2026", hint)
    hint = NUMBER.sub("#", hint)
    return MANY.sub("#", hint)


@cache
def templates() -> list[tuple[re.Pattern, str]]:
    """The sentences of the course's cases that have holes, with \u2026 for the holes."""
    found = []
    for file in sorted(CASES.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found += holes([literal(part) for part in node.values])
    return found


def literal(part: ast.expr) -> str | None:
    """What stands in the sentence itself; None for a hole."""
    return str(part.value) if isinstance(part, ast.Constant) else None


def holes(parts: list[str | None]) -> list[tuple[re.Pattern, str]]:
    """Of the parts of one sentence with holes, None is a hole; too short a one is no sentence.

    A hole that begins a sentence may be a sentence of its own, and stays.
    """
    while parts and (parts[0] is None or not re.search(r"[a-z]", parts[0])):
        parts = parts[1:]
    letters = sum(len(re.sub(r"[^a-z]", "", part)) for part in parts if part)
    if letters < SENTENCE or None not in parts:
        return []
    pattern, blank, before = "", "", ""
    for place, part in enumerate(parts):
        ends = part is None and re.search(r"[.?!] $", before)
        if ends:  # what follows is another sentence
            break
        if part is None:
            last = place == len(parts) - 1
            pattern, blank = pattern + (r".+" if last else r".+?"), blank + "\u2026"
        else:
            pattern, blank, before = pattern + re.escape(part), blank + part, part
    return [(re.compile(pattern), blank.replace("\\", r"\\"))]


def _told(told: Told) -> str:
    count = f"{len(told.learners)} learner{'s'[: len(told.learners) != 1]}"
    names = people([text(row.called) for row in told.learners], MOST_NAMES)
    cases = ", ".join(f"{case} ({n})" for case, n in told.cases.most_common())
    got, times = told.got.most_common(1)[0]
    how = "often got" if times > 1 else "got, among others" if len(told.got) > 1 else "got"
    often = f"<br>{how}: {text(got)}" if got != told.hint else ""
    drawn = f'<p class="soft">{DRAWN}</p>' if len(told.said) > 1 else ""
    return (
        f"<tr><td>{count}<td>{prose(told.hint)}{drawn}<details><summary>who</summary>"
        f"<p>{names}</p></details><td>{text(cases)}{often}</tr>"
    )
