"""A case tries a learner's function on numbers that were drawn, and says what came of it.

    @case("tanh_bytes", "a chain of tanh layers", points=2, hint="Each tanh keeps its own result.")
    def chain(f, draw):
        return f(draw.int(2, 9), draw.int(10, 99))

A case holds no answer: what is right is what the reference solution gives for the same draw. It
returns plain data (`plain.py`). One file for each lesson, `course/cases/lesson_NN.py`; golf has its
own, `golf_NN.py`.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

ID = str  # of an exercise: the name of the function or class that its stub defines


@dataclass(frozen=True)
class Case:
    """One row of the table that `check` shows.

    `hint` is a text, or a function of (got, want) that gives one or None; `got` may be a Raised.
    With `at_most="4 U + 8"` (`budget.py`) the outcome is a number, and `run` states the size U. A
    `cost`, and all that has `at_most`, counts only where the values before it are right. `fixed`
    says why fewer than a million draws will do. `secret` keeps the expected value out of the table.
    """

    exercise: ID
    name: str
    run: Callable[..., Any]
    points: int = 1
    hint: str | Callable[..., str | None] = ""
    at_most: str | None = None
    cost: bool = False
    fixed: str = ""
    secret: bool = False


@dataclass(frozen=True)
class Raised:
    """What a hint's function gets in place of a value when the learner's code raised."""

    kind: str  # "TypeError"
    text: str


_cases: dict[ID, list[Case]] = {}
_lessons: dict[ID, str] = {}


def case(exercise, name, **more):
    """Make a case of the exercise out of a function of (f, draw)."""

    def add(run):
        made = Case(exercise, name, run, **more)
        if any(other.name == name for other in _cases.get(exercise, [])):
            raise ValueError(f"the exercise {exercise} has two cases named '{name}'; rename one")
        lesson = run.__module__.rpartition("_")[2]
        if _lessons.setdefault(exercise, lesson) != lesson:
            raise ValueError(f"the exercise {exercise} has cases in two lessons; rename one")
        _cases.setdefault(exercise, []).append(made)
        return run

    return add


def of(exercise):
    """The cases of an exercise, in the order in which they are tried; [] for an unknown one."""
    _import_all()
    return list(_cases.get(exercise, ()))


def lesson_of(exercise):
    """The number of its lesson, such as "04", or None."""
    _import_all()
    return _lessons.get(exercise)


def exercises():
    """{lesson number: [exercise ids]}."""
    _import_all()
    found: dict[str, list[ID]] = {}
    for exercise, lesson in sorted(_lessons.items(), key=lambda pair: pair[1]):
        found.setdefault(lesson, []).append(exercise)
    return found


@cache
def _import_all():
    """Once a process: the grader asks for cases again and again."""
    package = importlib.import_module("course.cases")
    for module in pkgutil.iter_modules(package.__path__, "course.cases."):
        importlib.import_module(module.name)
