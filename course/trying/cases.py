"""A case tries a learner's function on numbers that were drawn, and says what came of it.

    @case("tanh_bytes", "a chain of tanh layers", points=2, hint="Each tanh keeps its own result.")
    def chain(f, draw):
        return f(draw.int(2, 9), draw.int(10, 99))

A case holds no answer: what is right is what the reference solution gives for the same draw. It
returns plain data (`plain.py`). One file for each lesson, `course/cases/lesson_NN.py`; golf has its
own, `golf_NN.py`. A teacher's own folder has `cases_NN.py`; the environment tells where it is.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

BY_HAND = "worked out by hand"  # the name of the case that lets nobody run the code
ID = str  # of an exercise: the name of the function or class that its stub defines
PRIVATE = "MINIGRAD_PRIVATE"  # holds a teacher's own folder, for a process and those it starts


@dataclass(frozen=True)
class Case:
    """One row of the table that `check` shows.

    `hint` is a text, or a function of (got, want) that gives one or None; `got` may be a Raised.
    It gets values of the reference's kind only, unless it is for `any_form`: a wrong type or shape
    of `what` is told before, and then `returns`, what the card asks for. With `at_most="4 U + 8"`
    (`budget.py`) the outcome is a number, and `run` states the size U. `exact` takes no array for a
    list. `fixed` says why fewer than a million draws will do. `secret` keeps the expected value out
    of the table.

    Nobody shall earn it by a guess. Where one draw is guessed too often, the class grader makes
    several `draws`, and all of them must be right. An `invariant` has the same value whatever is
    drawn, or one that the arguments give away. It counts, like a `cost` and all that has `at_most`,
    only where the cases that it `needs` do: those named, or else all drawn values of the exercise.
    Of a run that is measured the class grader looks whether it gave what the reference's gave, and
    did the same work; the latter not where an answer is `free` to do more or other work, as a test
    that runs programs. What a repair's cell has right as it is `given` counts once another case
    does: whoever hands it in untouched has mended nothing. An answer is given copies of lists and
    dicts, but where the case looks into them for what was written there: these are `shared`.
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
    exact: bool = False
    what: str = ""
    returns: str = ""
    needs: tuple[str, ...] | None = None
    draws: int = 1
    invariant: bool = False
    free: bool = False
    given: bool = False
    shared: bool = False

    @property
    def forms(self):
        return getattr(self.hint, "any_form", False)

    @property
    def names(self):
        """What the entries of its value are called; () where each goes by its number, from 0."""
        return getattr(self.hint, "names", ())

    @property
    def is_cost(self):
        return self.cost or self.at_most is not None

    @property
    def waits(self):
        """Whether it counts only where others do."""
        return self.is_cost or self.invariant or self.needs is not None

    def needed(self, known):
        """Those of the exercise's cases that must count for it to count."""
        if not self.waits:
            return []
        if self.needs is not None:
            return [case for case in known if case.name in self.needs]
        return [case for case in known if not case.waits]


@dataclass(frozen=True)
class Raised:
    """What a hint's function gets in place of a value when the learner's code raised."""

    kind: str  # "TypeError"
    text: str
    own: bool = False  # it came out of a line of the learner's


def any_form(hint):
    """A hint's function that tests itself of which type and shape a value is."""
    hint.any_form = True
    return hint


def naming(*names):
    """Tell of a hint's function what the entries of the case's value are called in the table."""

    def add(hint):
        hint.names = names
        return hint

    return add


def beyond(more, fewer="Less is alive than the card asks for: is all of it made, and returned?"):
    """A hint about a number of bytes: `more` where there are too many."""
    return lambda got, want: None if isinstance(got, Raised) else more if got > want else fewer


class Twice(ValueError):
    """Two cases or exercises have one name; the text says what to do."""


_cases: dict[ID, list[Case]] = {}
_lessons: dict[ID, str] = {}


def case(exercise, name, **more):
    """Make a case of the exercise out of a function of (f, draw)."""

    def add(run):
        made = Case(exercise, name, run, **more)
        if any(other.name == name for other in _cases.get(exercise, [])):
            raise Twice(f"the exercise {exercise} has two cases named '{name}'; rename one")
        lesson = run.__module__.rpartition("_")[2]
        if _lessons.setdefault(exercise, lesson) != lesson:
            raise Twice(f"the exercise {exercise} has cases in two lessons; rename one")
        _cases.setdefault(exercise, []).append(made)
        return run

    return add


def of(exercise):
    """The cases of an exercise, in the order in which they are tried; [] for an unknown one."""
    _import_all()
    return list(_cases.get(exercise, ()))


def predicted(exercise):
    """Whether it is worked out by hand: then what is expected stays the learner's to find."""
    return any(case.name == BY_HAND for case in of(exercise))


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
    for file in private_files():
        load(file)


def private_folder():
    """A teacher's own folder of exercises, or None."""
    folder = os.environ.get(PRIVATE)
    return Path(folder) if folder else None


def private_files():
    """The files of cases in it."""
    folder = private_folder()
    return sorted(folder.glob("cases_[0-9][0-9].py")) if folder else []


_loaded: set[Path] = set()


def load(path):
    """Cases that are no part of the course: a teacher's own, or those of its tests.

    What lies beside the file cannot be imported: nothing but the file comes to a class.
    """
    path = Path(path).resolve()
    if path in _loaded:
        return
    spec: Any = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing beside their file
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    _loaded.add(path)
