"""What goes back to a learning platform: grades to import, and a zip of the learners' pages.

Moodle's grading worksheet, as mod/assign/gradingtable.php writes it and
mod/assign/feedback/offline/importgradeslib.php reads it: a learner is the number at the end of
"Participant 12"; the columns Identifier, Grade and Last modified (grade) have to be there.
Its feedback zip is read by mod/assign/feedback/file/importziplib.php: of the parts of a path the
first one that is "name_NUMBER_assignsubmission_file_" says whose it is, so no name holds a "_".
Canvas's uploaded submissions, as infer_comment_context_from_filename of its
app/models/abstract_assignment.rb reads them: the parts of a file's name between "_" that are a
number are the learner's and that of the file handed in, without which the page is left out; after
"anon" come a code and that number. So a page begins as the file did that was downloaded.
Canvas's gradebook, as lib/gradebook_exporter.rb and lib/gradebook_importer.rb of canvas-lms have
it: a learner is the ID, an assignment "Name (id)", and one row begins with "Points Possible".

A list that came from the platform keeps its rows, columns and order; only the grades and the
comments are filled in.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from course import copies
from course.classroom import archive
from course.classroom.books import BOM, Book, Row, harmless, tidy
from course.classroom.records import page, stem
from course.classroom.senders import ANONYMOUS, CANVAS, MOODLE

MOODLE_HEAD = (
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
    "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
    "Feedback comments",
)  # fmt: skip
CANVAS_HEAD = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"
# Columns by which a platform finds its learners again: not a byte of them is changed.
IDS = {"Identifier", "ID", "SIS User ID", "SIS Login ID", "Integration ID"}
POSSIBLE = "    Points Possible"
OURS = "minigrad"
NUMBER = re.compile(r"[-+]?[\d.,]+ ?%?|-")  # what looks like a formula's beginning and is none
ASSIGNMENT = re.compile(r".* \(\d+\)")


def write(out: Path, book: Book, submissions: Path, roster: Path | None = None) -> list[str]:
    """Write what can be written; a sentence for each file that could not be, though asked for."""
    listed = read(roster) if roster else None
    known = platforms(submissions)
    said: list[str] = []
    for file, made in (
        (out / "moodle.csv", moodle(book, listed, known)),
        (out / "canvas.csv", canvas(book, listed, known)),
    ):
        if isinstance(made, Table):
            copies.write(file, made.text())
        else:
            file.unlink(missing_ok=True)  # one of a run before says something else
            said += [made] if made else []
    copies.write_bytes(out / "feedback.zip", feedback_zip(out, book, known))
    return said


@dataclass(frozen=True)
class Sent:
    """How a platform calls what a learner handed in: `head` goes before the file's own name."""

    platform: str
    head: str = ""


def platforms(submissions: Path) -> dict[str, Sent]:
    """{student: by which platform it was sent} of those whose folders or files one has named."""
    with archive.opened(submissions) as entries:
        parts = [entry.parts for entry in entries]
    found: dict[str, Sent] = {}
    forms = ("canvas", CANVAS), ("anonymous", ANONYMOUS), ("moodle", MOODLE)
    for depth in 0, 1:  # a zip may have one folder around all
        for name in dict.fromkeys(own[depth] for own in parts if len(own) > depth):
            match = next(((p, m) for p, form in forms if (m := form.fullmatch(name))), None)
            if match and match[1]["id"] not in found:
                platform, parts_of = match
                head = "" if platform == "moodle" else name[: parts_of.start("file")]
                found[parts_of["id"]] = Sent(platform, head)
    return found


# --- a platform's own list -----------------------------------------------------------------


@dataclass
class Table:
    """A CSV as it was downloaded, with its head, its separator and its byte order mark."""

    rows: list[list[str]]
    separator: str = ","
    mark: str = BOM

    @property
    def head(self) -> list[str]:
        return self.rows[0] if self.rows else []

    def text(self) -> str:
        out = io.StringIO()
        write = csv.writer(out, delimiter=self.separator, lineterminator="\r\n").writerow
        write(self.head)
        for row in self.rows[1:]:
            own = len(self.head)
            columns = self.head + [""] * (len(row) - own)
            write([safe(cell, column) for cell, column in zip(row, columns, strict=False)])
        return self.mark + out.getvalue()


def read(file: Path) -> Table:
    data = file.read_bytes()
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = data.decode("utf-16" if utf16 else "utf-8", "replace")
    mark = BOM if text.startswith(BOM) or utf16 else ""
    text = text.removeprefix(BOM)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return Table([row for row in rows if row], separator, mark)


def safe(cell: str, column: str) -> str:
    """The cell as it is, unless a spreadsheet would run it; what finds a learner is not touched."""
    if column in IDS or NUMBER.fullmatch(cell) or cell.strip() == POSSIBLE.strip():
        return cell
    own = harmless(cell)
    return cell if own == " ".join(cell.split()) and cell.isprintable() else own


def is_moodles(table: Table | None) -> bool:
    return table is not None and {"Identifier", "Grade"} <= set(table.head)


def is_canvas(table: Table | None) -> bool:
    head = table.head if table else []
    return len(head) > 3 and "Student" in head[0] and head[1] == "ID" and "Section" in head


# --- grades --------------------------------------------------------------------------------


def moodle(book: Book, listed: Table | None, known: dict[str, Sent]) -> Table | str:
    """The worksheet with grades, or a sentence why not; "" where nobody comes from Moodle."""
    by_id = {}
    for row in book.rows:
        if id := moodles_id(row, known):
            by_id[id] = row
    if listed is not None and is_moodles(listed):
        return filled_worksheet(book, listed, by_id)
    if not by_id:
        return ""
    rows = [worksheet_row(book, id, row) for id, row in by_id.items()]
    return Table([list(MOODLE_HEAD), *rows])


def moodles_id(row: Row, known: dict[str, Sent]) -> str:
    """The number that Moodle gave the learner in this assignment, or ""."""
    if own := digits(row.roster.get("Identifier", "")):
        return own
    return row.student if is_from("moodle", row, known) else ""


def is_from(platform: str, row: Row, known: dict[str, Sent]) -> bool:
    return known.get(row.student, Sent("")).platform == platform


def digits(identifier: str) -> str:
    """12 of "Participant 12", in whatever language it is said."""
    found = re.search(r"\d+$", identifier.strip())
    return found.group() if found else ""


def filled_worksheet(book: Book, listed: Table, by_id: dict[str, Row]) -> Table:
    rows = [list(listed.head)]
    for cells in listed.rows[1:]:
        new = dict(zip(listed.head, cells, strict=False))
        row = by_id.get(digits(new.get("Identifier", "")))
        if row and has_grade(row) and new.get("Grade can be changed") != "No":
            grade = scaled(book, row, new.get("Maximum Grade") or str(book.of), most=1)
            new["Grade"] = new["Grade"] if grade is None else grade
            if "Feedback comments" in new:
                new["Feedback comments"] = comments(book, row)
        rows.append([*new.values(), *cells[len(listed.head) :]])
    return Table(rows, listed.separator, listed.mark)


def worksheet_row(book: Book, id: str, row: Row) -> list[str]:
    """Only what is known: Moodle reads Identifier, Grade and the comments."""
    grade = scaled(book, row, str(book.of), most=1) if has_grade(row) else None
    said = comments(book, row) if has_grade(row) else ""
    own = [f"Participant {id}", row.name, "", "", grade or "", str(book.of), "Yes", "-", "-", said]
    return own


def canvas(book: Book, listed: Table | None, known: dict[str, Sent]) -> Table | str:
    """The gradebook with our column filled, or a sentence why not; "" where nobody is in Canvas."""
    by_id = {}
    for row in book.rows:
        if id := canvas_id(row, known):
            by_id[id] = row
    if listed is not None and is_canvas(listed):
        return filled_gradebook(book, listed, by_id)
    if not by_id:
        return ""
    rows = [[*CANVAS_HEAD, OURS], [POSSIBLE, "", "", "", "", str(book.of)]]
    for id, row in by_id.items():
        grade = scaled(book, row, str(book.of)) if has_grade(row) else None
        rows.append([row.name, id, "", "", "", grade or ""])
    return Table(rows)


def canvas_id(row: Row, known: dict[str, Sent]) -> str:
    if own := row.roster.get("ID", ""):
        return own
    return row.student if is_from("canvas", row, known) else ""


def filled_gradebook(book: Book, listed: Table, by_id: dict[str, Row]) -> Table | str:
    place = column_of(listed)
    if place is None:
        return (
            "canvas.csv is not written: the roster has several assignments. Delete all columns of "
            f"assignments but one, or name one with the word {OURS}."
        )
    possible = next((r[place] for r in listed.rows[1:] if is_possible(r) and r[place:]), "")
    rows = [list(listed.head)]
    for cells in listed.rows[1:]:
        row = None if is_possible(cells) or len(cells) <= place else by_id.get(cells[1])
        grade = scaled(book, row, possible or str(book.of)) if row and has_grade(row) else None
        rows.append(list(cells))
        if grade is not None:
            rows[-1][place] = grade
    return Table(rows, listed.separator, listed.mark)


def is_possible(cells: list[str]) -> bool:
    return POSSIBLE.strip() in cells[0]


def column_of(listed: Table) -> int | None:
    """The place of our assignment: the one that has our name, or the only one there is."""
    places = [i for i, name in enumerate(listed.head) if ASSIGNMENT.fullmatch(name)]
    own = [i for i in places if OURS in listed.head[i].casefold()]
    found = own or places
    return found[0] if len(found) == 1 else None


# --- what a learner has --------------------------------------------------------------------


def has_grade(row: Row) -> bool:
    """Whoever handed in nothing, or what could not be graded, has none: that is not 0."""
    by_hand = any(own.points is not None for own in row.overrides.values())
    return by_hand or any(points is not None for points in row.points.values())


def scaled(book: Book, row: Row, maximum: str, most: float = float("inf")) -> str | None:
    """The learner's share of all points as the platform counts, with a comma where it has one.

    None where it counts in no numbers. `most` is the largest share that the platform takes.
    """
    comma = "," in maximum and "." not in maximum
    try:
        top = float(maximum.replace(",", "." if comma else ""))
    except ValueError:  # "Satisfactory": a scale of words
        return None
    share = min(row.total / book.of, most) if book.of else 0
    grade = str(tidy(top * share))
    return grade.replace(".", ",") if comma else grade


def comments(book: Book, row: Row) -> str:
    """Points, days and the teacher's words. Moodle takes it for HTML, so < stands as &lt;."""
    said = [f"{row.total} of {book.of} points, {row.percent} %."]
    if row.late:
        said.append(f"{days(row.late)} late, {tidy(row.taken)} points taken off.")
    for exercise, override in row.overrides.items():
        if override.comment:
            said.append(f"{exercise}: {override.comment}" if exercise else override.comment)
    return harmless(escape(" ".join(said), quote=False))


def days(number: int) -> str:
    return f"{number} day{'s'[: number != 1]}"


# --- pages to hand back --------------------------------------------------------------------


def feedback_zip(out: Path, book: Book, known: dict[str, Sent]) -> bytes:
    """Each learner's page under the name by which a platform finds its learner."""
    rows = [row for row in book.rows if row.handed_in]
    return archive.pack({feedback_name(row, known): page(out, row.student) for row in rows})


def feedback_name(row: Row, known: dict[str, Sent]) -> str:
    if head := known.get(row.student, Sent("")).head:
        return f"{head}{OURS}.html"
    id = moodles_id(row, known)
    if not id:
        return f"{stem(row.student)}.html"
    return f"{plain(row.name) or OURS}_{id}_assignsubmission_file_/{OURS}.html"


def plain(name: str) -> str:
    """A full name as Moodle has it in a folder's: no part of a path, and no underscore."""
    kept: Iterable[str] = (c if c.isprintable() and c not in '_/\\:*?"<>|' else " " for c in name)
    return " ".join("".join(kept).split()).strip(". ~")[:80]
