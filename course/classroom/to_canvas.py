"""canvas.csv: Canvas's exported gradebook with our column filled.

As lib/gradebook_exporter.rb and lib/gradebook_importer.rb of canvas-lms have it: a learner is the
ID, an assignment "Name (id)", and one row begins with "Points Possible". The first column is
"Student", or the first two are "LastName" and "FirstName". Cells are read with commas or
semicolons between them, and with nothing else.
"""

from __future__ import annotations

import re

from course.classroom.books import Book, Row
from course.classroom.platform_list import POSSIBLE, Made, Table, decimal, has_grade, scaled

HEAD = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"
OURS = "minigrad"
ASSIGNMENT = re.compile(r".* \(\d+\)")
SEVERAL = (
    "canvas.csv is not written: the roster has several assignments. Delete all columns of "
    f"assignments but one, or name one with the word {OURS}."
)
NO_MAXIMUM = (
    "canvas.csv counts out of {}: the roster says no points possible for {}. If that is wrong, "
    "write them into its row Points Possible."
)


def is_canvas(table: Table | None) -> bool:
    head = [name.strip().casefold() for name in table.head] if table else []
    named = head[:2] == ["student", "id"] or head[:3] == ["lastname", "firstname", "id"]
    return named and "section" in head


def made(book: Book, listed: Table | None, by_id: dict[str, Row]) -> Made:
    """The gradebook with our column filled; no table where nobody is in Canvas."""
    if listed is not None and is_canvas(listed):
        return filled(book, listed, by_id)
    if not by_id:
        return Made()
    rows = [[*HEAD, OURS], [POSSIBLE, "", "", "", "", str(book.of)]]
    for id, row in by_id.items():
        grade = scaled(book, row, str(book.of)) if has_grade(row) else None
        rows.append([row.name, id, "", "", "", grade or ""])
    return Made(Table(rows))


def filled(book: Book, listed: Table, by_id: dict[str, Row]) -> Made:
    place = column_of(listed)
    if place is None:
        return Made(said=(SEVERAL,))
    top = next((row[place] for row in listed.rows[1:] if is_possible(row) and row[place:]), "")
    said = () if decimal(top) else (NO_MAXIMUM.format(book.of, listed.head[place]),)
    maximum = top if decimal(top) else str(book.of)
    rows = [list(listed.head)]
    for cells in listed.rows[1:]:
        row = None if is_possible(cells) or len(cells) <= place else by_id.get(id_of(listed, cells))
        grade = scaled(book, row, maximum) if row and has_grade(row) else None
        rows.append(list(cells))
        if grade is not None:
            rows[-1][place] = grade
    between = "," if listed.separator == "\t" else listed.separator  # Canvas reads no tabs
    return Made(Table(rows, between, listed.mark), said)


def id_of(listed: Table, cells: list[str]) -> str:
    return cells[listed.place("ID") or 0].strip()


def is_possible(cells: list[str]) -> bool:
    return POSSIBLE.strip() in cells[0]


def column_of(listed: Table) -> int | None:
    """The place of our assignment: the one that has our name, or the only one there is."""
    places = [i for i, name in enumerate(listed.head) if ASSIGNMENT.fullmatch(name)]
    own = [i for i in places if OURS in listed.head[i].casefold()]
    found = own or places
    return found[0] if len(found) == 1 else None
