"""A hold-out that others wrote, hostile submissions and honest ones, graded as a class is.

tests/hostile has a file for each attack: comments say which exercise it robs, how, and how many
points its code `deserves` all the same; `# %% id` begins a cell, of another exercise perhaps.
tests/honest has answers like tests/answers, in styles of their own; a mark divides it into cells.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from course.build import planted
from course.classroom import notebook, syllabus
from course.classroom.klass import SECONDS
from course.classroom.marking import Marker
from course.classroom.reference import References
from course.sandbox.room import Room
from course.trying import cases

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
CELL = re.compile(r"^# %%\s*(\w*)\s*$\n?", re.MULTILINE)
NEXT = "# ==== next cell"


@dataclass(frozen=True)
class Submitted:
    """Cells of one lesson or several, [(exercise or "", source)], and what they are worth."""

    name: str
    cells: tuple
    deserves: float | None = None  # None for all points

    @property
    def exercises(self):
        return list(dict.fromkeys(exercise for exercise, _ in self.cells if exercise))


def hostile():
    return [_attack(path) for path in sorted((TESTS / "hostile").glob("*.py"))]


def _attack(path):
    text = path.read_text("utf-8")
    head = dict(re.findall(r"^# (exercise|deserves): (.*)$", text, re.MULTILINE))
    parts = CELL.split(text)
    names, sources = ["", *parts[1::2]], parts[0::2]
    cells = [pair for pair in zip(names, sources, strict=True) if pair[1].strip()]
    if not any(name == head["exercise"] for name, _ in cells):
        last = max(i for i, (name, _) in enumerate(cells) if not name)
        cells[last] = head["exercise"], cells[last][1]
    return Submitted(path.stem, tuple(cells), float(head.get("deserves", 0)))


def honest():
    for path in sorted((TESTS / "honest").glob("*.py")):
        for one in planted.read(path, path.stem):
            *helpers, own = one.source.split(NEXT)
            cells = [("", helper.strip("\n")) for helper in helpers]
            yield Submitted(
                f"{one.exercise}: {one.says}", (*cells, (one.exercise, own.strip("\n")))
            )


class Grader:
    """A context manager: `graded(submitted, seed)` is (points, of, flags, notes)."""

    def __init__(self):
        lessons = syllabus.lessons(ROOT)
        self._lessons = {lesson.lesson: lesson for lesson in lessons}
        self._references = References(lessons, True, [TESTS])
        self._marker = Marker(lessons, self._references, "", True, [TESTS], SECONDS)

    def __enter__(self):
        self._references.__enter__()
        return self

    def __exit__(self, *error):
        self._references.__exit__(*error)

    def graded(self, submitted, seed):
        wanted = self._references.outcomes(seed, submitted.exercises)
        read, rows = _notebook(submitted), []
        with Room(isolate=True, hide=[TESTS]) as room:
            for exercise in submitted.exercises:
                lesson = self._lessons[cases.lesson_of(exercise)]
                rows.append(self._marker._exercise(lesson, exercise, read, room, seed, wanted))
        points, of = (sum(row[key] for row in rows) for key in ("points", "of"))
        flags, notes = (sum((row[key] for row in rows), []) for key in ("flags", "notes"))
        return points, of, flags, notes


def _notebook(submitted):
    cells = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {"minigrad": {"exercise": name, "role": "answer"}} if name else {},
            "source": source,
        }
        for number, (name, source) in enumerate(submitted.cells)
    ]
    tree = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    return notebook.read(json.dumps(tree).encode(), "x.ipynb")
