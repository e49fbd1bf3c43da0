"""What the teacher changes by hand: OUT/overrides.csv, read anew in each run and never rewritten.

It is made with its headings alone. A line that cannot be used ends the run before anybody is
graded, and the file stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from course import copies
from course.classroom import sheet
from course.classroom.books import BOM, Override, harmless, named
from course.classroom.naming import people
from course.classroom.tables import BadFile, require_known

NAME = "overrides.csv"
HEADS = ["student", "exercise", "points", "comment"]
NUMBER = re.compile(r"\d+([.,]\d+)?")
WHOLE = ""  # the exercise that stands for the whole work
TOO_MANY = (
    f"{NAME}: these points for the whole work are more than the {{:g}} of {{}}, and wait for a run "
    "of more lessons: {}."
)
Overrides = dict[str, dict[str, Override]]  # by student and exercise


def read(
    file: Path,
    students: dict[str, str],
    exercises: dict[str, float],
    of: float,
    elsewhere: Callable[[str], bool] = lambda student: False,
) -> Overrides:
    """What is in the file, which is made where there is none.

    Known are {student: name}, whoever was graded `elsewhere`, and {exercise: points}; `of` is
    what all lessons of the course count.
    """
    if not file.exists():
        copies.write(file, BOM + ",".join(HEADS) + "\r\n")
    found = sheet.read(file, lambda heads: [head.casefold() for head in heads] == HEADS)
    if found is None:
        raise BadFile(f"{file} line 1: write student,exercise,points,comment there.")
    ids = {harmless(student): student for student in students}  # as they stand in grades.csv
    ids |= {student: student for student in students}
    first: dict[tuple[str, str], int] = {}
    overrides: Overrides = {}
    for line, cells in found.lines:
        where = f"{file} line {line}"
        student, exercise, points, comment = _parts(cells, found.between)
        if not elsewhere(student):
            _require_student(where, student, ids, students)
        student = ids.get(student, student)
        if exercise != WHOLE:
            require_known(where, exercise, exercises)
        most = exercises.get(exercise, of)
        made = Override(_points(where, points, most), comment)
        if made == Override(None, ""):
            raise BadFile(f"{where} has neither points nor a comment: write one, or take it out.")
        before = first.setdefault((student, exercise), line)
        if before != line:
            raise BadFile(f"{where} is about the same as line {before}: leave one of them out.")
        overrides.setdefault(student, {})[exercise] = made
    return overrides


def fitting(
    overrides: Overrides, of: float, lessons: list[str], called: dict[str, str]
) -> tuple[Overrides, list[str]]:
    """Those that can hold in this run, and a sentence on the others.

    Points of the whole that are more than the lessons of this run have are meant for more lessons.
    """
    found, names = {}, []
    for student, own in overrides.items():
        whole = own.get(WHOLE, Override(None, ""))
        if whole.points is not None and whole.points > of:
            names += [f"{called[student]} ({whole.points:g})"] if student in called else []
            rest = {id: it for id, it in own.items() if id != WHOLE}
            own = {WHOLE: Override(None, whole.comment)} | rest if whole.comment else rest
        found[student] = own
    return found, [TOO_MANY.format(of, named(lessons), people(names, 10))] * bool(names)


def _parts(cells: list[str], between: str) -> tuple[str, str, str, str]:
    """The four cells; a comment that holds a comma is one comment, quotes or not."""
    student, exercise, points = [*map(str.strip, cells), "", "", ""][:3]
    return student, exercise, points, between.join(cells[3:]).strip()


def _require_student(where: str, student: str, ids: dict, students: dict[str, str]) -> None:
    if not student:
        raise BadFile(f"{where} names no student: write whom it is about, as in grades.csv.")
    if student not in ids:
        named = [id for id, name in students.items() if name == student]
        if named:
            raise BadFile(f"{where}: write {named[0]} for {student}, as in grades.csv.")
        require_known(where, student, ids)


def _points(where: str, text: str, most: float) -> float | None:
    if not text:
        return None
    points = float(text.replace(",", ".")) if NUMBER.fullmatch(text) else -1
    if not 0 <= points <= most:
        raise BadFile(f"{where}: points = {text}, but they are a number from 0 to {most:g}.")
    return int(points) if points == int(points) else points
