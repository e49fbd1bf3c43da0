"""What a class is graded on: the lessons with exercises, their set-up cells, what each counts for.

Knows the course's own notebooks; refuses to know what anybody handed in.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from course.grade import answers, cases, notebook
from course.grade.books import Column
from course.grade.records import digest

REBUILD = "make the notebooks anew with `python3 run.py build {}`"


class CannotGrade(Exception):
    """A sentence for the person at the keyboard, with the remedy; nothing was graded."""


@dataclass(frozen=True)
class Lesson:
    """A lesson's exercises in the order of its notebook, each with its stub."""

    number: str
    file: str  # "04_which_is_freed.ipynb"
    setup: str
    stubs: dict[str, str]

    @property
    def title(self) -> str:
        return self.file.removesuffix(".ipynb").partition("_")[2].replace("_", " ")


def lessons(root: Path) -> list[Lesson]:
    found = [_lesson(root, number, ids) for number, ids in sorted(cases.exercises().items())]
    if not found:
        raise CannotGrade("course/cases holds no exercise: there is nothing to grade.")
    return found


def _lesson(root: Path, number: str, ids: list[str]) -> Lesson:
    made = own(root, "exercises", number)
    stubs = {
        cell.exercise: cell.source
        for cell in made.code
        if cell.role == "answer" and cell.exercise in ids
    }
    lacking = sorted(set(ids) - set(stubs))
    if lacking:
        raise CannotGrade(
            f"exercises/{path(root, 'exercises', number).name} has no exercise {lacking[0]}, but "
            f"course/cases/lesson_{number}.py has: {REBUILD.format(number)}."
        )
    file = path(root, "exercises", number).name
    return Lesson(number, file, answers.setup_of(made), stubs)


def own(root: Path, folder: str, number: str) -> notebook.Notebook:
    """A notebook of the course itself."""
    file = path(root, folder, number)
    try:
        return notebook.read(file.read_bytes(), file.name)
    except notebook.Unreadable as error:
        raise CannotGrade(f"{folder}/{error}; {REBUILD.format(number)}.") from None


def path(root: Path, folder: str, number: str) -> Path:
    found = sorted((root / folder).glob(f"{number}_*.ipynb"))
    if not found:
        raise CannotGrade(f"{folder}/{number}_*.ipynb is missing: {REBUILD.format(number)}.")
    return found[0]


def columns(lessons: list[Lesson], factors: dict[str, float]) -> list[Column]:
    return [
        Column(id, lesson.number, points(id), factors[id])
        for lesson in lessons
        for id in lesson.stubs
    ]


def points(exercise: str) -> int:
    return sum(case.points for case in cases.of(exercise))


def version(root: Path) -> str:
    """One name for all that decides a grade besides the work, the seed and the mode."""
    files = [file for folder in ("minigrad", "course") for file in (root / folder).rglob("*.py")]
    files += [
        file for folder in ("exercises", "solutions") for file in (root / folder).glob("*.ipynb")
    ]
    parts: list[str | bytes] = [platform.python_version(), np.__version__]
    for file in sorted(files):
        parts += [file.relative_to(root).as_posix(), file.read_bytes()]
    return digest(*parts)
