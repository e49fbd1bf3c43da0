"""moodle.csv: Moodle's grading worksheet with the grades and comments in it.

It is written by mod/assign/gradingtable.php and read by mod/assign/feedback/offline: a learner is
the number at the end of "Participant 12"; the columns Identifier, Grade and Last modified (grade)
have to be there. The column of the maximum is "Maximum grade" in Moodle's language file of today
and "Maximum Grade" in older ones; an assignment that counts in words has "Scale" in its place.
A grade outside of the range is passed over there without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from course.classroom.books import Book, Row, harmless, tidy
from course.classroom.naming import apart, people
from course.classroom.platform_list import Line, Made, Table, decimal, has_grade, scaled

MAXIMUM, SAID = "Maximum grade", "Feedback comments"
HEAD = (
    "Identifier", "Full name", "Email address", "Status", "Grade", MAXIMUM, "Grade can be changed",
    "Last modified (submission)", "Last modified (grade)", SAID,
)  # fmt: skip
# What we say of somebody's points, as an earlier run has said it.
OURS = re.compile(
    r"[\d.]+ of [\d.]+ points, [\d.]+ %\.(?: \d+ days? late, [\d.]+ points taken off\.)?"
)
MOST_NAMES = 10
UNSCALED = (
    "moodle.csv counts out of {}: if that is not the maximum of the assignment, give Moodle's "
    "grading worksheet as the roster, for Moodle passes over a grade above its maximum without a "
    "word."
)
NO_MAXIMUM = (
    f"moodle.csv has no new grades: the roster has no column {MAXIMUM}. Download the grading "
    "worksheet anew, of an assignment that counts in points."
)
NO_NUMBER = "moodle.csv leaves these grades as they were, whose maximum is no number: {}."
BEYOND = (
    "Moodle will pass over these grades in moodle.csv without a word, for they are outside of its "
    "range: {}."
)


def is_moodles(table: Table | None) -> bool:
    wanted = "Identifier", "Grade"
    return table is not None and all(table.place(name) is not None for name in wanted)


def digits(identifier: str) -> str:
    """12 of "Participant 12", in whatever language it is said."""
    found = re.search(r"\d+$", identifier.strip())
    return found.group() if found else ""


def made(book: Book, listed: Table | None, by_id: dict[str, Row]) -> Made:
    """The worksheet with grades; no table where nobody comes from Moodle."""
    if listed is not None and is_moodles(listed):
        return filled(book, listed, by_id)
    if not by_id:
        return Made()
    rows = [line_of(book, id, row) for id, row in by_id.items()]
    return Made(Table([list(HEAD), *rows]), (UNSCALED.format(book.of),))


def filled(book: Book, listed: Table, by_id: dict[str, Row]) -> Made:
    lines = [Line(listed, cells) for cells in listed.rows[1:]]
    unread = []
    for line in lines:
        row = by_id.get(digits(line["Identifier"]))
        if row and line["Grade can be changed"] != "No":
            grade = scaled(book, row, line[MAXIMUM], most=1) if has_grade(row) else None
            line["Grade"] = line["Grade"] if grade is None else grade
            line[SAID] = behind(line[SAID], pieces(book, row))
            unread += [line] if has_grade(row) and grade is None else []
    table = Table([listed.head, *[line.cells for line in lines]], listed.separator, listed.mark)
    if table.place(MAXIMUM) is None:
        return Made(table, (NO_MAXIMUM,))
    return Made(table, (*about(NO_NUMBER, unread), *about(BEYOND, filter(is_beyond, lines))))


def is_beyond(line: Line) -> bool:
    """Whether Moodle passes over its grade."""
    grade, most = decimal(line["Grade"]), decimal(line[MAXIMUM])
    return grade is not None and most is not None and not 0 <= grade <= most


def about(sentence: str, lines: Iterable[Line]) -> list[str]:
    """The sentence with the names of these lines; none where there are no lines."""
    names = apart({line["Identifier"]: line["Full name"] or line["Identifier"] for line in lines})
    return [sentence.format(people(names.values(), MOST_NAMES))] if names else []


def line_of(book: Book, id: str, row: Row) -> list[str]:
    """Only what is known: Moodle reads Identifier, Grade and the comments."""
    grade = scaled(book, row, str(book.of), most=1) if has_grade(row) else None
    said = behind("", pieces(book, row))
    own = [f"Participant {id}", row.name, "", "", grade or "", str(book.of), "Yes", "-", "-", said]
    return own


# --- comments ------------------------------------------------------------------------------


def pieces(book: Book, row: Row) -> list[str]:
    """Points, days and the teacher's words. Moodle takes it for HTML, so < stands as &lt;.

    Who has no grade gets the teacher's words alone.
    """
    said = [f"{row.total} of {book.of} points, {row.percent} %."] if has_grade(row) else []
    if row.late and said:
        said[0] += f" {days(row.late)} late, {tidy(row.taken)} points taken off."
    for exercise, override in row.overrides.items():
        if override.comment:
            said.append(f"{exercise}: {override.comment}" if exercise else override.comment)
    return [harmless(escape(one, quote=False)) for one in said]


def behind(old: str, said: list[str]) -> str:
    """What stands in Moodle already, and ours behind it; what an earlier run said is taken out."""
    ours = harmless(" ".join(said))
    if not ours or old.endswith(ours):
        return old
    return " ".join(filter(None, [without(old, said[1:]).strip(), ours]))


def without(old: str, words: list[str]) -> str:
    """The text without our sentence about points, and without these words right behind it."""
    found = OURS.search(old)
    if found is None:
        return old
    rest = old[found.end() :].lstrip()
    longest_first = sorted(words, key=len, reverse=True)
    while word := next((one for one in longest_first if rest.startswith(one)), ""):
        rest = rest[len(word) :].lstrip()
    return f"{old[: found.start()]}{without(rest, words)}"


def days(number: int) -> str:
    return f"{number} day{'s'[: number != 1]}"
