"""The class in one table: who has how many points of which exercise, as CSV and as JSON.

Takes records and weights; refuses to know how a record was made or what a page looks like.
"""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from course.classroom.records import Record, dump

# What a spreadsheet takes for a formula, the wide forms of East Asian keyboards among them.
# A comma or semicolon may begin a cell too: which one does depends on the spreadsheet's language.
FORMULA = re.compile(r"(^|[;,])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
BOM = "\ufeff"


@dataclass(frozen=True)
class Column:
    """An exercise of the course; `of` is its points before the weight."""

    exercise: str
    lesson: str
    of: float
    weight: float = 1


@dataclass(frozen=True)
class Override:
    """What the teacher wrote by hand about an exercise or the whole; no points leave them be."""

    points: float | None
    comment: str


@dataclass(frozen=True)
class Row:
    """A learner; an exercise of a lesson that was not handed in has no points, which is not 0.

    `points` are those after the override, `total` also after what was taken for being late.
    """

    record: Record
    points: dict[str, float | None]
    total: float
    percent: float
    handed_in: bool = True
    roster: dict[str, str] = field(default_factory=dict)  # the line of the roster, as it is there
    late: int = 0  # days that count, after the free ones
    taken: float = 0  # points, for these days
    overrides: dict[str, Override] = field(default_factory=dict)  # by exercise; "" is the whole
    remarks: tuple[str, ...] = ()  # sentences for the teacher alone

    @property
    def student(self) -> str:
        return self.record["student"]

    @property
    def name(self) -> str:
        return self.record["name"] or self.student


@dataclass(frozen=True)
class Book:
    columns: list[Column]
    rows: list[Row]
    titles: dict[str, str]
    remark: str = ""

    @property
    def of(self) -> float:
        return full(self.columns)

    @property
    def mean(self) -> float:
        """The class's percent, of the points: rounding each learner's first would shift it."""
        total = statistics.fmean([row.total for row in self.rows] or [0])
        return tidy(100 * total / self.of) if self.of else 0

    def column_mean(self, column: Column) -> float:
        """The share of an exercise's points that the class has; who left it out has none."""
        points = [row.points[column.exercise] or 0 for row in self.rows]
        return statistics.fmean(points) / column.of if points and column.of else 0

    def lessons(self) -> dict[str, list[Column]]:
        grouped: dict[str, list[Column]] = {}
        for column in self.columns:
            grouped.setdefault(column.lesson, []).append(column)
        return grouped


def book(
    records: Iterable[Record], columns: list[Column], titles: dict[str, str], remark: str = ""
) -> Book:
    rows = [row(record, columns) for record in records]
    return Book(columns, sorted(rows, key=lambda r: (r.name.casefold(), r.student)), titles, remark)


def row(record: Record, columns: list[Column]) -> Row:
    points = {column.exercise: earned(record, column) for column in columns}
    total = sum((points[column.exercise] or 0) * column.weight for column in columns)
    of = full(columns)
    return Row(record, points, tidy(total), tidy(100 * total / of) if of else 0)


def full(columns: list[Column]) -> float:
    """What somebody has who has everything."""
    return tidy(sum(column.of * column.weight for column in columns))


def earned(record: Record, column: Column) -> float | None:
    exercise = record["exercises"].get(column.exercise)
    return tidy(exercise["points"]) if exercise and exercise["cases"] else None


def tidy(number: float) -> float:
    """Two places, and an int where it is one: 3 and not 3.0."""
    rounded = round(number, 2)
    return int(rounded) if rounded == int(rounded) else rounded


# --- files ---------------------------------------------------------------------------------


def as_csv(book: Book) -> str:
    """With a byte order mark: Excel reads UTF-8 only with it, and Moodle takes it off."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n").writerow
    ids = [column.exercise for column in book.columns]
    write(["student", "name", "points", "of", "percent", *ids, "notes", "flags"])
    for row in book.rows:
        points = ["" if row.points[id] is None else row.points[id] for id in ids]
        texts = [harmless(row.student), harmless(row.record["name"])]
        said = [harmless(" | ".join(notes(row.record))), harmless(" | ".join(flags(row.record)))]
        write([*texts, row.total, book.of, row.percent, *points, *said])
    return BOM + out.getvalue()


def harmless(text: str) -> str:
    """The text in one line, never a formula: =HYPERLINK(...) would run in the teacher's Excel."""
    line = " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())
    return FORMULA.sub(r"\1\2'", line)


def as_json(book: Book, **facts) -> str:
    return dump(
        {
            **facts,
            "of": book.of,
            "mean_percent": book.mean,
            "exercises": [vars(column) for column in book.columns],
            "learners": [learner(row) for row in book.rows],
        }
    )


def learner(row: Row) -> dict:
    return {
        "student": row.student,
        "name": row.record["name"],
        "points": row.total,
        "percent": row.percent,
        "round": row.record.get("round", 1),
        "exercises": row.points,
        "notes": notes(row.record),
        "flags": flags(row.record),
    }


def notes(record: Record) -> list[str]:
    return [*record["notes"], *told(record, "notes")]


def flags(record: Record) -> list[str]:
    return told(record, "flags")


def told(record: Record, kind: str) -> list[str]:
    """The sentences about exercises; one that holds for several is said once, with their names."""
    about: dict[str, list[str]] = {}
    for id, exercise in record["exercises"].items():
        for sentence in exercise[kind]:
            about.setdefault(sentence, []).append(id)
    return [f"{', '.join(ids)}: {sentence}" for sentence, ids in about.items()]
