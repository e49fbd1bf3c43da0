"""A learning platform's own list, as it was downloaded, and what is filled into it.

It keeps its rows, columns and order. A heading is found whatever its capitals are: Moodle's have
changed from one version to the next.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from course.classroom.books import BOM, Book, Row, harmless, tidy

# Columns by which a platform finds its learners again: not a byte of them is changed.
IDS = {"identifier", "id", "sis user id", "sis login id", "integration id"}
POSSIBLE = "    Points Possible"
NUMBER = re.compile(r"[-+]?[\d.,]+ ?%?|-")  # what looks like a formula's beginning and is none


@dataclass
class Table:
    """A CSV as it was downloaded, with its head, its separator and its byte order mark."""

    rows: list[list[str]]
    separator: str = ","
    mark: str = BOM

    @property
    def head(self) -> list[str]:
        return self.rows[0] if self.rows else []

    def place(self, name: str) -> int | None:
        """Where the column of this name is, in whatever capitals."""
        small = [head.strip().casefold() for head in self.head]
        return small.index(name.casefold()) if name.casefold() in small else None

    def text(self) -> str:
        out = io.StringIO()
        write = csv.writer(out, delimiter=self.separator, lineterminator="\r\n").writerow
        write(self.head)
        for row in self.rows[1:]:
            own = len(self.head)
            columns = self.head + [""] * (len(row) - own)
            write([safe(cell, column) for cell, column in zip(row, columns, strict=False)])
        return self.mark + out.getvalue()


class Line:
    """One line of a table, by its headings; what the table has no column for is "" and stays."""

    def __init__(self, table: Table, cells: list[str]):
        self.table = table
        self.cells = [*cells, *[""] * (len(table.head) - len(cells))]

    def __getitem__(self, name: str) -> str:
        place = self.table.place(name)
        return "" if place is None else self.cells[place]

    def __setitem__(self, name: str, text: str) -> None:
        place = self.table.place(name)
        if place is not None:
            self.cells[place] = text


@dataclass(frozen=True)
class Made:
    """A platform's list, where there is one to write, and sentences for the teacher."""

    table: Table | None = None
    said: tuple[str, ...] = ()


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
    is_id = column.strip().casefold() in IDS
    if is_id or NUMBER.fullmatch(cell) or cell.strip() == POSSIBLE.strip():
        return cell
    own = harmless(cell)
    return cell if own == " ".join(cell.split()) and cell.isprintable() else own


# --- grades --------------------------------------------------------------------------------


def has_grade(row: Row) -> bool:
    """Whoever handed in nothing, or what could not be graded, has none: that is not 0."""
    by_hand = any(own.points is not None for own in row.overrides.values())
    return by_hand or any(points is not None for points in row.points.values())


def decimal(text: str) -> float | None:
    """The number that the cell holds, with a comma or a point; None where it holds none."""
    plain = text.replace(",", "." if has_comma(text) else "")
    try:
        return float(plain) if NUMBER.fullmatch(text.strip()) else None
    except ValueError:  # "1.2.3", "-"
        return None


def has_comma(text: str) -> bool:
    """Whether its comma is the one before the fraction."""
    return "," in text and "." not in text


def scaled(book: Book, row: Row, maximum: str, most: float = float("inf")) -> str | None:
    """The learner's share of all points as the platform counts, with a comma where it has one.

    None where it counts in no numbers. `most` is the largest share that the platform takes.
    """
    top = decimal(maximum)
    if top is None:  # "Satisfactory": a scale of words
        return None
    share = min(row.total / book.of, most) if book.of else 0
    grade = str(tidy(top * share))
    return grade.replace(".", ",") if has_comma(maximum) else grade
