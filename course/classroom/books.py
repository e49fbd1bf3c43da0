"""The class in one table: who has how many points of which exercise, as CSV and as JSON.

Takes records, weights and what else is known of a learner; refuses to know how a record was made
or what a page looks like.
"""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from course.classroom.late import Days
from course.classroom.naming import apart, in_order
from course.classroom.packed import Packed
from course.classroom.records import Record, dump

# What a spreadsheet takes for a formula, the wide forms of East Asian keyboards among them.
# A comma or semicolon may begin a cell too: which one does depends on the spreadsheet's language.
FORMULA = re.compile(r"(^|[;,])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
BOM = "\ufeff"
LOWERED = "with fewer points by hand, in overrides.csv, than the work earns now"


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
    listed_as: str = ""  # on the roster
    told_apart: str = ""  # the name with the id, where a name is there twice

    @property
    def student(self) -> str:
        return self.record["student"]

    @property
    def name(self) -> str:
        return self.listed_as or self.record["name"] or self.student

    @property
    def called(self) -> str:
        """The name in a list of several learners."""
        return self.told_apart or self.name

    @property
    def comment(self) -> str:
        """All that the teacher wrote, the whole work first."""
        said = sorted(self.overrides.items())
        return " | ".join(
            f"{id}: {it.comment}" if id else it.comment for id, it in said if it.comment
        )


@dataclass(frozen=True)
class Known:
    """What is known of a learner besides the record: who it is, how late, what the teacher says."""

    handed_in: bool = True
    roster: dict[str, str] = field(default_factory=dict)
    listed_as: str = ""
    late: tuple[Days, ...] = ()
    overrides: dict[str, Override] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Book:
    columns: list[Column]
    rows: list[Row]
    titles: dict[str, str]  # of lessons and of exercises
    remark: str = ""
    roster: str = ""  # "moodle", "canvas" or "plain", where there is one

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
    records: Iterable[Record],
    columns: list[Column],
    titles: dict[str, str],
    remark: str = "",
    known: dict[str, Known] | None = None,
    roster: str = "",
) -> Book:
    """`known` is by student."""
    rows = [row(record, columns, (known or {}).get(record["student"])) for record in records]
    called = apart({row.student: row.name for row in rows})
    rows = [replace(row, told_apart=called[row.student]) for row in rows]
    rows.sort(key=lambda r: (in_order(r.name), r.student))
    return Book(columns, rows, titles, remark, roster)


def row(record: Record, columns: list[Column], known: Known | None = None) -> Row:
    known = known or Known()
    own = {c.exercise: earned(record, c) for c in columns}
    points = {c.exercise: changed(own[c.exercise], known.overrides, c) for c in columns}
    late, taken = lateness(points, columns, known.late)
    total = sum((points[column.exercise] or 0) * column.weight for column in columns) - taken
    whole = known.overrides.get("", Override(None, "")).points
    lowered = any((points[id] or 0) < (own[id] or 0) for id in own)
    lowered |= whole is not None and whole < total
    if whole is not None:  # the last word: nothing is taken off it
        total, taken = whole, 0
    of = full(columns)
    return Row(
        asked(record, columns),
        points,
        tidy(total),
        tidy(100 * total / of) if of else 0,
        known.handed_in,
        known.roster,
        late,
        tidy(taken),
        known.overrides,
        (*known.remarks, *[LOWERED] * lowered),
        known.listed_as,
    )


IN_LESSONS = "unread", "bare"  # lists of lessons in a record; "" for one that cannot be told


def asked(record: Record, columns: list[Column]) -> Record:
    """The record without what is not asked now, and with a note on the lessons that are not there.

    An earlier run may have graded more.
    """
    ids = {column.exercise for column in columns}
    lessons = list(dict.fromkeys(column.lesson for column in columns))
    held = record["exercises"]
    if isinstance(held, Packed):
        exercises: Mapping[str, Any] = held.only(ids)
    else:
        exercises = {id: it for id, it in held.items() if id in ids}
    own = {key: [one for one in record.get(key, ()) if one in ("", *lessons)] for key in IN_LESSONS}
    rest = {key: value for key, value in record.items() if key not in IN_LESSONS}
    rest |= {key: value for key, value in own.items() if value}
    notes = [*record["notes"], *absent(record, lessons)]
    return rest | {"exercises": exercises, "notes": notes, "lessons": lessons}


def absent(record: Record, lessons: list[str]) -> list[str]:
    """A note on what was not handed in; none for who handed in nothing at all, which is said."""
    there = record.get("handed_in")
    if not there:
        return []
    lacking = [lesson for lesson in lessons if lesson not in there]
    return [f"not handed in: {named(lacking)}"] * bool(lacking)


def nothing_of(record: Record) -> str:
    """What to say of somebody who handed in other lessons than these, and all of it readable."""
    there, lessons = record.get("handed_in", ()), record.get("lessons", [])
    if not there or set(there) & set(lessons) or record.keys() & {"failed", "unread"}:
        return ""
    return f"handed in nothing of {named(lessons)}"


def named(lessons: list[str]) -> str:
    return f"lesson{'s'[: len(lessons) != 1]} {', '.join(lessons)}"


def changed(points: float | None, overrides: dict[str, Override], column: Column) -> float | None:
    """The points that the teacher gave by hand, or those that were earned."""
    given = overrides.get(column.exercise, Override(None, "")).points
    return points if given is None else tidy(given)


def lateness(
    points: dict[str, float | None], columns: list[Column], late: tuple[Days, ...]
) -> tuple[int, float]:
    """(days that count, points taken for them): a share of what the learner has."""
    taken = 0.0
    for days in late:
        own = [c for c in columns if not days.lesson or c.lesson == days.lesson]
        had = sum((points[c.exercise] or 0) * c.weight for c in own)
        taken += had * days.percent / 100
    return sum(days.days for days in late), taken


def full(columns: list[Column]) -> float:
    """What somebody has who has everything."""
    return tidy(sum(column.of * column.weight for column in columns))


def earned(record: Record, column: Column) -> float | None:
    exercise = record["exercises"].get(column.exercise)
    return tidy(exercise["points"]) if exercise and exercise["cases"] else None


def counts(book: Book) -> list[str]:
    """How many learners there is something to say of: parts of one sentence."""
    found = {
        "handed in nothing": sum(not row.handed_in for row in book.rows),
        "late": sum(row.late > 0 for row in book.rows),
        "changed by hand": sum(
            any(it.points is not None for it in row.overrides.values()) for row in book.rows
        ),
    }
    return [f"{count} {what}" for what, count in found.items() if count]


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
    sums = ["points", "of", "percent", "late", "taken", "handed_in"]
    write(["student", "name", *sums, *ids, "comment", "notes", "flags"])
    for row in book.rows:
        points = ["" if row.points[id] is None else row.points[id] for id in ids]
        texts = [harmless(row.student), harmless(row.listed_as or row.record["name"])]
        own = [row.total, book.of, row.percent, row.late, row.taken, ("no", "yes")[row.handed_in]]
        said = [row.comment, " | ".join(notes_of(row)), " | ".join(flags(row.record))]
        write([*texts, *own, *points, *map(harmless, said)])
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
        "name": row.listed_as or row.record["name"],
        "points": row.total,
        "percent": row.percent,
        "late": row.late,
        "taken": row.taken,
        "handed_in": row.handed_in,
        "comment": row.comment,
        "round": row.record.get("round", 1),
        "history": row.record.get("history", []),
        "exercises": row.points,
        "notes": notes_of(row),
        "flags": flags(row.record),
    }


def notes_of(row: Row) -> list[str]:
    """What is said of a learner in the books of the teacher."""
    return [*notes(row.record), *row.remarks]


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
