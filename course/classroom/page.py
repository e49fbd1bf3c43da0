"""A learner's page: what came, and one hint for each case that went wrong; the teacher's has more.

A learner's page holds nothing that was expected: some numbers are the same in every round. The
teacher's shows it, with the flags. Each is one file that needs no other, light or dark as the
reader's screen is, and fit to print.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from course.classroom.books import Book, Column, Row, tidy
from course.classroom.records import Record
from course.classroom.visible import visible

CSS = Path(__file__).with_name("page.css").read_text("utf-8")
LEARNER_CSS = """
.cases { width: 100%; margin: .3em 0; font-size: .93em; table-layout: fixed; }
.cases th { color: var(--soft); font-weight: 400; text-align: left; }
.cases th, .cases td { padding: 5px 12px 5px 0; border-top: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
.cases th { border: 0; padding-bottom: 2px; }
.cases tr { break-inside: avoid; }
.got { color: var(--bad); }
h3 { break-after: avoid; }
"""
PRINT = """
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #555; --paper: #fff; --card: #fff;
    --line: #bbb; --accent: #1976d2; --good: #2e7d32; --warm: #b35c00; --bad: #c62828;
    --cell: 46, 125, 50; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  a { color: inherit; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
LONGEST = 300  # characters of what a learner's code can make long


def document(title: str, css: str, body: Iterable[str], script: str = "") -> str:
    """A page that runs `script` and nothing else, whatever stands in its body."""
    head = (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title>\n<style>\n{CSS}{css.lstrip()}{PRINT.lstrip()}</style>\n"
    )
    end = f"\n<script>{script}</script>" if script else ""
    return head + "\n".join(body) + f"{end}\n</html>\n"


def policy(script: str) -> str:
    """Nothing is loaded, and no other script is run than the one with this very text."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def text(value: object) -> str:
    """Anything as harmless text of a bearable length."""
    said = "" if value is None else str(value)
    return escape(visible(said if len(said) <= LONGEST else said[: LONGEST - 1] + "\u2026"))


def prose(sentence: object) -> str:
    """A sentence of the grader's, in which `code` stands between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(sentence))


def learner(book: Book, row: Row) -> str:
    """The page to give back."""
    return document(f"{row.name}: minigrad", LEARNER_CSS, _page(book, row, whole=False))


def teacher(book: Book, row: Row) -> str:
    """The same with all that is known: what was expected, the flags, the grader's own trouble."""
    return document(f"{row.name}: for the teacher", LEARNER_CSS, _page(book, row, whole=True))


def _page(book: Book, row: Row, whole: bool) -> Iterable[str]:
    also = f"{row.student} \u00b7 " if row.name != row.student else ""
    yield f"<h1>{text(row.name)}</h1>"
    yield (
        f'<p class="soft">{text(also)}minigrad \u00b7 {row.total} of {book.of} points'
        f" \u00b7 {row.percent} %</p>{bar(row.percent)}"
    )
    if whole:
        yield from _for_the_teacher(row.record)
    yield from paragraphs("note", row.record["notes"])
    for lesson, columns in book.lessons().items():
        yield from _lesson(lesson, book.titles.get(lesson, ""), columns, row, whole)


def _for_the_teacher(record: Record) -> Iterable[str]:
    number = record.get("round", 1)
    yield f'<p class="soft">Round {number}. Not for the learner: this page shows what was expected.'
    yield from paragraphs("flag", [record["failed"]] if "failed" in record else [])


def bar(percent: float) -> str:
    return f'<div class="bar"><i style="width: {percent}%"></i></div>'


def paragraphs(kind: str, sentences: list[str]) -> Iterable[str]:
    return (f'<p class="{kind}">{prose(sentence)}</p>' for sentence in sentences)


def _lesson(lesson: str, title: str, columns: list[Column], row: Row, whole: bool) -> Iterable[str]:
    earned = tidy(sum(row.points[column.exercise] or 0 for column in columns))
    of = tidy(sum(column.of for column in columns))
    yield f"<h2>{text(lesson)} {text(title)}<b>{earned} of {of}</b></h2>"
    exercises = {column: row.record["exercises"].get(column.exercise) for column in columns}
    if not any(exercise and exercise["cases"] for exercise in exercises.values()):
        yield from paragraphs("soft", _why_none(exercises.values()))
        return
    for column, exercise in exercises.items():
        yield from _exercise(column, exercise, whole)


def _why_none(exercises) -> list[str]:
    """The notes of a lesson nothing of which was graded, each once."""
    said = [note for exercise in exercises if exercise for note in exercise["notes"]]
    return list(dict.fromkeys(said)) or ["Not handed in."]


def _exercise(column: Column, exercise, whole: bool) -> Iterable[str]:
    if not exercise or not exercise["cases"]:
        exercise = {"points": 0, "of": column.of, "cases": [], "notes": ["Not graded."]} | (
            exercise or {}
        )
    full = exercise["points"] >= exercise["of"]
    mark = ' class="full"' if full else ""
    counts = "" if column.weight == 1 else f", counts {column.weight} times"
    yield (
        f"<h3>{text(column.exercise)}<b{mark}>{tidy(exercise['points'])} of "
        f"{tidy(exercise['of'])}{counts}</b></h3>"
    )
    yield from paragraphs("note", exercise["notes"])
    if exercise["cases"] and all(case.get("missing") for case in exercise["cases"]):
        yield '<p class="soft">Not written yet.</p>'
    else:
        yield from _cases(exercise["cases"], whole)
    if whole:
        yield from paragraphs("flag", exercise.get("flags", []))


def _cases(cases: list[dict], whole: bool) -> Iterable[str]:
    passed = [case["case"] for case in cases if case["points"] >= case["of"]]
    failed = [case for case in cases if case["points"] < case["of"]]
    if passed and failed:  # all points say by themselves that every case was right
        yield f'<p class="soft">Right: {text(", ".join(passed))}.</p>'
    if failed:
        heads = ["case", *["expected"] * whole, "got", "hint"]
        yield f'<table class="cases"><tr>{"".join(f"<th>{head}" for head in heads)}</tr>'
        yield from (_case(case, whole) for case in failed)
        yield "</table>"


def _case(case: dict, whole: bool) -> str:
    places = case.get("call"), where(case["line"]), case.get("alive")
    got = f'<span class="got">{text(case["got"])}</span>' + "".join(
        f"<br><code>{text(place)}</code>" for place in places if place
    )
    part = f"<br>{tidy(case['points'])} of {tidy(case['of'])}" if case["points"] else ""
    expected = [text(case.get("kept") or case["expected"])] * whole
    cells = f"{text(case['case'])}{part}", *expected, got, prose(case["hint"])
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>"


def where(line: object) -> str:
    """The line of the learner's cell, as the judge says it: a number or a sentence."""
    return f"line {line}" if isinstance(line, int) else str(line or "")
