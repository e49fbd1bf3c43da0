"""A learner's page: what came, and one hint for each case that went wrong; the teacher's has more.

A learner's page holds nothing that was expected: some numbers are the same in every round. The
teacher's shows it, with the flags and the learner's code. Each is one file that needs no other,
light or dark as the reader's screen is, and fit to print.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from html import escape
from pathlib import Path

from course.classroom.books import Book, Column, Override, Row, tidy
from course.classroom.naming import row as in_a_row
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
.got { color: var(--bad); } .waits { color: var(--soft); }
h3 small { font: 400 1em system-ui, sans-serif; color: var(--soft); }
@media (max-width: 600px) {
  .cases, .cases tbody, .cases tr, .cases td { display: block; }
  .cases tr:has(th) { display: none; }
  .cases td { padding: 2px 0; border: 0; } .cases td:empty { display: none; }
  .cases td:first-child { padding-top: 8px; border-top: 1px solid var(--line); font-weight: 600; }
  .cases td:last-child { padding-bottom: 8px; }
  .cases td:nth-last-child(3):not(:first-child)::before { content: "expected: "; }
  .cases td:nth-last-child(2)::before { content: "got: "; }
  .cases td:not(:first-child)::before { color: var(--soft); }
}
h3 { break-after: avoid; }
.said { padding: 6px 12px; border-left: 3px solid var(--accent); background: var(--card); }
.rounds td { padding: 1px 18px 1px 0; }
"""
CODE_CSS = """
details { margin: .3em 0; font-size: .93em; }
summary { cursor: pointer; color: var(--soft); }
.code { margin: .3em 0 .8em; padding: 8px 0; background: var(--card); border-radius: 3px;
  font: .9em/1.45 ui-monospace, monospace; overflow-x: auto; }
.code td { padding: 0 10px; white-space: pre-wrap; overflow-wrap: anywhere; }
.code td:first-child { width: 3.5em; text-align: right; color: var(--soft); user-select: none;
  white-space: nowrap; vertical-align: top; }
.marked { box-shadow: inset 3px 0 var(--warm); font-weight: 600; }
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
MOST_SAID = 12  # notes in one place
MOST_ROUNDS = 8
EARNED = (
    "These are the points of each round as the work earned them: no exercise counts more than "
    "another, nothing is taken off for being late, and nothing is set by hand."
)
MOST_LINES = 400  # of an exercise's code
BLANK_LINES = 2  # one after the other that are shown
SHARED = 3  # a note about so many exercises is said once, above them
FLAGGED = re.compile(r"(?P<cell>.+) line (?P<line>\d+): ")


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
    return document(
        f"{row.name}: for the teacher",
        LEARNER_CSS + CODE_CSS.lstrip(),
        _page(book, row, whole=True),
    )


def _page(book: Book, row: Row, whole: bool) -> Iterable[str]:
    also = f"{row.student} \u00b7 " if row.name != row.student else ""
    yield f"<h1>{text(row.name)}</h1>"
    yield (
        f'<p class="soft">{text(also)}minigrad \u00b7 {row.total} of {book.of} points'
        f" \u00b7 {row.percent} %</p>{bar(row.percent)}"
    )
    if whole:
        yield from _for_the_teacher(row)
    yield from _by_hand(row.overrides.get(""), f"{row.total} of {book.of}")
    yield from _late(row)
    yield from _rounds(row.record.get("history", []))
    yield from paragraphs("note", each_once(row.record["notes"]))
    shared = shared_notes(row.record)
    told = [f"{in_a_row(ids, 5)}: {note}" for note, ids in shared.items()]
    yield from paragraphs("note", told)
    for lesson, columns in book.lessons().items():
        yield from _lesson(lesson, book.titles, columns, row, whole, set(shared))


def _for_the_teacher(row: Row) -> Iterable[str]:
    record = row.record
    number = record.get("round", 1)
    yield f'<p class="soft">Round {number}. Not for the learner: this page shows what was expected.'
    failed = [record["failed"]] if "failed" in record else []
    yield from paragraphs("flag", [*failed, *row.remarks])


def _by_hand(override: Override | None, points: str) -> Iterable[str]:
    """What the teacher set, and said."""
    if override:
        given = f"Set by hand: {points}." if override.points is not None else ""
        yield f'<p class="said">{text(" ".join(filter(None, [given, override.comment])))}</p>'


def _late(row: Row) -> Iterable[str]:
    if row.late:
        many = "" if row.late == 1 else "s"
        yield f'<p class="note">{row.late} day{many} late: {row.taken} points taken off.</p>'


def _rounds(history: list[dict]) -> Iterable[str]:
    """The learner's points of each round, as they were graded then; one round is no history."""
    if len(history) > 1:
        yield '<div class="scroll"><table class="rounds soft">'
        for one in history[-MOST_ROUNDS:]:
            points = f"{tidy(one['points'])} of {tidy(one['of'])}"
            yield f"<tr><td>round {one['round']}<td>{text(one['date'])[:10]}<td>{points}</tr>"
        yield f'</table></div><p class="soft">{EARNED}</p>'


def each_once(sentences: list[str]) -> list[str]:
    """The sentences in their order, one that came several times with their number; not too many."""
    said = [f"{one} ({n} times)" if n > 1 else one for one, n in Counter(sentences).items()]
    more = [f"and {len(said) - MOST_SAID} more"] if len(said) > MOST_SAID else []
    return said[:MOST_SAID] + more


def shared_notes(record: Record) -> dict[str, list[str]]:
    """{note: exercises} of those that hold for several."""
    about: dict[str, list[str]] = {}
    for id, exercise in record["exercises"].items():
        for note in dict.fromkeys(exercise["notes"]):
            about.setdefault(note, []).append(id)
    return {note: ids for note, ids in about.items() if len(ids) >= SHARED}


def bar(percent: float) -> str:
    return f'<div class="bar"><i style="width: {percent}%"></i></div>'


def paragraphs(kind: str, sentences: list[str]) -> Iterable[str]:
    return (f'<p class="{kind}">{prose(sentence)}</p>' for sentence in sentences)


def _lesson(
    lesson: str,
    titles: dict[str, str],
    columns: list[Column],
    row: Row,
    whole: bool,
    said: set[str],
) -> Iterable[str]:
    """`said` are the notes that stand above all lessons."""
    earned = tidy(sum((row.points[column.exercise] or 0) * column.weight for column in columns))
    of = tidy(sum(column.of * column.weight for column in columns))
    yield f"<h2>{text(lesson)} {text(titles.get(lesson, ''))}<b>{earned} of {of}</b></h2>"
    exercises = {column: row.record["exercises"].get(column.exercise) for column in columns}
    by_hand = any(column.exercise in row.overrides for column in columns)
    if not by_hand and not any(it and it["cases"] for it in exercises.values()):
        yield from paragraphs("soft", _why_none(lesson, row.record, exercises.values(), said))
        return
    for column, exercise in exercises.items():
        title = titles.get(column.exercise, "")
        yield from _exercise(column, title, exercise, row, whole, said)


def _why_none(lesson: str, record: Record, exercises, said: set[str]) -> list[str]:
    """The notes of a lesson nothing of which was graded, each once."""
    notes = [note for exercise in exercises if exercise for note in exercise["notes"]]
    own = [note for note in notes if note not in said]
    if own:
        return each_once(list(dict.fromkeys(own)))
    if lesson in record.get("unread", ()):
        return ["Handed in, and could not be read: the note above says why."]
    there = lesson in record.get("handed_in", ())
    return ["Not graded." if notes or there else "Not handed in."]


def _exercise(
    column: Column, title: str, exercise, row: Row, whole: bool, said: set[str]
) -> Iterable[str]:
    if not exercise or not exercise["cases"]:
        exercise = {"points": 0, "of": column.of, "cases": [], "notes": ["Not graded."]} | (
            exercise or {}
        )
    points = row.points[column.exercise] or 0
    full = points >= exercise["of"]
    mark = ' class="full"' if full else ""
    shown = f"{tidy(points)} of {tidy(exercise['of'])}"
    named = text(column.exercise) + f" <small>{text(title)}</small>" * bool(title)
    yield f"<h3>{named}<b{mark}>{shown}{times(column.weight)}</b></h3>"
    override = row.overrides.get(column.exercise)
    yield from _by_hand(override, shown)
    if whole and override and override.points is not None:
        yield f'<p class="note">Earned by the work: {tidy(exercise["points"])}.</p>'
    yield from paragraphs("note", each_once([n for n in exercise["notes"] if n not in said]))
    if exercise["cases"] and all(case.get("missing") for case in exercise["cases"]):
        yield '<p class="soft">Not written yet.</p>'
    else:
        yield from _cases(exercise["cases"], whole)
    if whole:
        flags = exercise.get("flags", [])
        yield from paragraphs("flag", each_once(flags))
        yield from code(exercise.get("code", []), flags)


def times(weight: float) -> str:
    """What is said beside an exercise's own points of how much they count."""
    if weight == 1:
        return ""
    return f", each point counts {tidy(weight)}" if weight else ", does not count"


# --- the learner's code, for the teacher ---------------------------------------------------


def code(cells: list[dict], flags: list[str]) -> Iterable[str]:
    """The cells, folded unless something in them is flagged; the lines of the flags are marked."""
    found = [match for flag in flags if (match := FLAGGED.match(flag))]
    marked = {(match["cell"], int(match["line"])) for match in found}
    left = MOST_LINES
    for cell in cells:
        rows = numbered(cell["source"])
        here = {line for name, line in marked if name == cell["name"]}
        if rows and left > 0:
            opened = " open" if here else ""
            yield f"<details{opened}><summary>{text(cell['name'])}</summary>"
            yield lines(rows[:left], here)
            yield "</details>"
            left -= len(rows)
    if left < 0:
        yield f'<p class="soft">{-left} more lines are not shown.</p>'


def numbered(source: str) -> list[tuple[int, str]]:
    """The lines and their numbers; of many blank ones in a row two, of those around them none."""
    rows = list(enumerate(source.split("\n"), 1))
    full = [number for number, line in rows if line.strip()]
    shown: list[tuple[int, str]] = []
    for number, line in rows[full[0] - 1 : full[-1]] if full else ():
        if line.strip() or any(before.strip() for _, before in shown[-BLANK_LINES:]):
            shown.append((number, line))
    return shown


def lines(rows: list[tuple[int, str]], marked: set[int]) -> str:
    """A table of lines with their numbers; those marked stand out."""
    made = []
    for number, line in rows:
        kind = ' class="marked"' if number in marked else ""
        made.append(f"<tr{kind}><td>{number}<td>{escape(visible(line))}</tr>")
    return f'<table class="code">{"".join(made)}</table>'


# --- cases ---------------------------------------------------------------------------------


def _cases(cases: list[dict], whole: bool) -> Iterable[str]:
    passed = [case["case"] for case in cases if case["points"] >= case["of"]]
    failed = [case for case in cases if case["points"] < case["of"]]
    if passed and failed:  # all points say by themselves that every case was right
        yield f'<p class="soft">Right: {", ".join(map(text, passed))}.</p>'
    if failed:
        heads = ["case", *["expected"] * whole, "got", "hint"]
        yield f'<table class="cases"><tr>{"".join(f"<th>{head}" for head in heads)}</tr>'
        yield from (_case(case, whole) for case in failed)
        yield "</table>"


def _case(case: dict, whole: bool) -> str:
    places = case.get("call"), where(case["line"]), case.get("alive")
    kind = "waits" if case.get("waits") else "got"
    got = f'<span class="{kind}">{text(case["got"])}</span>' + "".join(
        f"<br><code>{text(place)}</code>" for place in places if place
    )
    part = f"<br>{tidy(case['points'])} of {tidy(case['of'])}" if case["points"] else ""
    expected = [text(case.get("kept") or case["expected"])] * whole
    hint = "" if case.get("waits") else prose(case["hint"])  # what came says it already
    cells = f"{text(case['case'])}{part}", *expected, got, hint
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>"


def where(line: object) -> str:
    """The line of the learner's cell, as the judge says it: a number or a sentence."""
    return f"line {line}" if isinstance(line, int) else str(line or "")
