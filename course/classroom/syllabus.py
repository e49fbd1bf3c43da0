"""What a class is graded on: the lessons with exercises, their set-up cells, what each counts for.

Knows the course's own notebooks; refuses to know what anybody handed in.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from course.classroom import notebook
from course.classroom.books import Column
from course.classroom.handout import Handout, handouts
from course.classroom.lesson_names import numbers, require_lesson
from course.classroom.records import digest
from course.trying import cases

PRODUCTS = "exercises", "solutions"
REBUILD = "make the notebooks anew with `python3 run.py build {}`"


class CannotGrade(Exception):
    """A sentence for the person at the keyboard, with the remedy; nothing was graded."""


def lessons(root: Path) -> list[Handout]:
    """The lessons with cases, and of each the stubs of its graded exercises in their order."""
    found = [_lesson(root, number, set(ids)) for number, ids in sorted(cases.exercises().items())]
    if not found:
        raise CannotGrade("course/cases holds no exercise: there is nothing to grade.")
    return found


def asked(lessons: list[Handout], names, where: object, bare: Iterable[str] = ()) -> list[Handout]:
    """Those of the lessons that are named, `where` it may be; all if none is.

    `bare` are the lessons without exercises.
    """
    names = numbers(names)
    for name in names:
        require_lesson(where, name, [lesson.lesson for lesson in lessons], bare)
    return [lesson for lesson in lessons if not names or lesson.lesson in names]


def _lesson(root: Path, number: str, ids: set[str]) -> Handout:
    made = given(root).get(number)
    if made is None:
        raise CannotGrade(f"exercises/{number}_*.ipynb is missing: {REBUILD.format(number)}.")
    lacking = sorted(ids - set(made.stubs))
    if lacking:
        raise CannotGrade(
            f"exercises/{made.file} has no exercise {lacking[0]}, but "
            f"course/cases/lesson_{number}.py has: {REBUILD.format(number)}."
        )
    return replace(made, stubs={id: stub for id, stub in made.stubs.items() if id in ids})


def given(root: Path) -> dict[str, Handout]:
    """What the course hands out, by lesson."""
    try:
        return handouts(root, cases.private_folder())
    except notebook.Unreadable as error:
        raise CannotGrade(f"exercises/{error}; {REBUILD.format('').strip()}.") from None


def titles(lessons: list[Handout]) -> dict[str, str]:
    """What lessons (by number) and exercises (by id) are called where they are read."""
    found: dict[str, str] = {}
    for lesson in lessons:
        found |= {lesson.lesson: lesson.stem.partition("_")[2].replace("_", " ")}
        found |= {id: title for id, title in lesson.titles.items() if title}
    return found


def source(lesson: Handout) -> str:
    """What a lesson's notebooks are built from, as a person calls it."""
    own = lesson.home == cases.private_folder()
    return f"{lesson.home.name if own else 'lessons'}/{lesson.stem}.py"


def solution(lesson: Handout) -> notebook.Notebook:
    file = lesson.home / "solutions" / lesson.file
    try:
        return notebook.read(file.read_bytes(), file.name)
    except FileNotFoundError:
        why = f"solutions/{file.name} is missing"
    except notebook.Unreadable as error:
        why = f"solutions/{error}"
    raise CannotGrade(f"{why}: {REBUILD.format(lesson.lesson)}.")


def columns(lessons: list[Handout], factors: dict[str, float]) -> list[Column]:
    return [
        Column(id, lesson.lesson, points(id), factors[id])
        for lesson in lessons
        for id in lesson.stubs
    ]


def points(exercise: str) -> int:
    return sum(case.points for case in cases.of(exercise))


def version(root: Path) -> str:
    """One name for all that decides a grade besides the work, the seed and the mode."""
    private = cases.private_folder()
    found = [
        (root, file)
        for folder in ("minigrad", "whoholds", "course")
        for file in (root / folder).rglob("*.py")
    ]
    found += [(private, file) for file in cases.private_files()]
    for home in filter(None, (root, private)):
        found += [(home, file) for name in PRODUCTS for file in (home / name).glob("*.ipynb")]
    parts: list[str | bytes] = [platform.python_version(), np.__version__]
    for home, file in sorted(found, key=lambda pair: (pair[0] != root, pair[1])):
        parts += [file.relative_to(home).as_posix(), file.read_bytes()]
    return digest(*parts)


def private(folder: Path | None) -> None:
    """Open a teacher's own folder for this process, or none; say what is wrong with it at once."""
    if folder is None:
        os.environ.pop(cases.PRIVATE, None)
        return
    from course.build import private as own  # the tools of the build, which a class needs not

    try:
        own.require_built(*own.opened(folder))
    except (own.BrokenSources, own.UnknownLesson) as error:
        raise CannotGrade(str(error)) from None
