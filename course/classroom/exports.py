"""What goes back to a learning platform: grades to import, and a zip of the learners' pages.

Moodle's feedback zip is read by mod/assign/feedback/file/importziplib.php: of the parts of a path
the first one that is "name_NUMBER_assignsubmission_file_" says whose it is, so no name holds a "_".
Canvas's uploaded submissions, as infer_comment_context_from_filename of its
app/models/abstract_assignment.rb reads them: the parts of a file's name between "_" that are a
number are the learner's and that of the file handed in, without which the page is left out; after
"anon" come a code and that number. So a page begins as the file did that was downloaded.

A list that came from the platform keeps its rows, columns and order; only the grades and the
comments are filled in (to_moodle.py, to_canvas.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from course import copies
from course.classroom import archive, to_canvas, to_moodle
from course.classroom.books import Book, Row
from course.classroom.naming import people
from course.classroom.platform_list import read
from course.classroom.records import page, stem
from course.classroom.senders import ANONYMOUS, CANVAS, MOODLE

OURS = "minigrad"
UNSENT = (
    "No file takes your comment to somebody in Canvas of whom no file was downloaded there: write "
    "it there by hand to {}."
)


def write(out: Path, book: Book, submissions: Path, roster: Path | None = None) -> list[str]:
    """Write what can be written; sentences on what the teacher should know of it."""
    listed = read(roster) if roster else None
    known = platforms(submissions)
    in_moodle = by_ids(book, lambda row: moodles_id(row, known))
    in_canvas = by_ids(book, lambda row: canvas_id(row, known))
    said: list[str] = []
    for file, made in (
        (out / "moodle.csv", to_moodle.made(book, listed, in_moodle)),
        (out / "canvas.csv", to_canvas.made(book, listed, in_canvas)),
    ):
        said += made.said
        if made.table:
            copies.write(file, made.table.text())
        else:
            file.unlink(missing_ok=True)  # one of a run before says something else
    copies.write_bytes(out / "feedback.zip", feedback_zip(out, book, known))
    return said + unsent(in_canvas.values(), known)


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


# --- who is who there ----------------------------------------------------------------------


def by_ids(book: Book, id_of) -> dict[str, Row]:
    """{id on a platform: row} of those who have one."""
    return {id: row for row in book.rows if (id := id_of(row))}


def moodles_id(row: Row, known: dict[str, Sent]) -> str:
    """The number that Moodle gave the learner in this assignment, or ""."""
    if own := to_moodle.digits(listed(row, "identifier")):
        return own
    return row.student if is_from("moodle", row, known) else ""


def canvas_id(row: Row, known: dict[str, Sent]) -> str:
    """The ID of the learner; a plain list may have a column of that name, but no sections."""
    if {"id", "section"} <= {head.casefold() for head in row.roster} and listed(row, "id"):
        return listed(row, "id")
    return row.student if is_from("canvas", row, known) else ""


def listed(row: Row, heading: str) -> str:
    """What the roster has below this heading, in whatever capitals it stands there."""
    own = (cell for head, cell in row.roster.items() if head.casefold() == heading)
    return next(own, "").strip()


def is_from(platform: str, row: Row, known: dict[str, Sent]) -> bool:
    return sent(row, known).platform == platform


def sent(row: Row, known: dict[str, Sent]) -> Sent:
    return known.get(row.student, Sent(""))


# --- pages to hand back --------------------------------------------------------------------


def feedback_zip(out: Path, book: Book, known: dict[str, Sent]) -> bytes:
    """Each learner's page under the name by which a platform finds its learner.

    Who handed in nothing has one where something was written by hand.
    """
    rows = [row for row in book.rows if row.handed_in or row.overrides]
    return archive.pack({feedback_name(row, known): page(out, row.student) for row in rows})


def feedback_name(row: Row, known: dict[str, Sent]) -> str:
    if head := sent(row, known).head:
        return f"{head}{OURS}.html"
    id = moodles_id(row, known)
    if not id:
        return f"{stem(row.student)}.html"
    return f"{plain(row.name) or OURS}_{id}_assignsubmission_file_/{OURS}.html"


def plain(name: str) -> str:
    """A full name as Moodle has it in a folder's: no part of a path, and no underscore."""
    kept: Iterable[str] = (c if c.isprintable() and c not in '_/\\:*?"<>|' else " " for c in name)
    return " ".join("".join(kept).split()).strip(". ~")[:80]


def unsent(rows: Iterable[Row], known: dict[str, Sent]) -> list[str]:
    """The learners in Canvas who have a comment by hand and no page that Canvas would take."""
    names = [row.called for row in rows if row.comment and not sent(row, known).head]
    return [UNSENT.format(people(names, to_moodle.MOST_NAMES))] if names else []
