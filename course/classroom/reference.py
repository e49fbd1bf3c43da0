"""What the course's own solutions give for one learner's draw: nothing else is expected.

They run in rooms like a learner's, and never in the same one: the memory of a process that ran
them holds the answers, and a learner's process would be a copy of it.
"""

from __future__ import annotations

from pathlib import Path

from course.classroom import answers, syllabus
from course.sandbox.room import Room
from course.trying import cases
from course.trying.judge import judge

Outcomes = dict[str, dict[str, dict]]  # {exercise: {case: outcome}}


class References:
    """The solutions of these lessons, ready to be run for any seed, by several threads at once.

    A context manager. Each thread at work has a room; the rooms live until the end of the block.
    """

    def __init__(self, lessons, isolate: bool, hide: list[Path]):
        self._solutions: dict[str, tuple] = {}  # {exercise: (lesson, cells, notes)}
        for lesson in lessons:
            solved = syllabus.solution(lesson)
            for exercise in lesson.stubs:
                cells, notes = answers.cells_for(solved, exercise, lesson.setup)
                self._solutions[exercise] = lesson, cells, notes
        self._isolate, self._hide = isolate, hide
        # {exercise: the names of its cases that have measured, for whatever seed}
        self._measured: dict[str, set[str]] = {exercise: set() for exercise in self._solutions}
        self._idle: list[Room] = []

    def __enter__(self) -> References:
        self._idle.append(self._room())
        return self

    def __exit__(self, *error) -> None:
        for room in self._idle:
            room.__exit__()

    def _room(self) -> Room:
        room = Room(isolate=self._isolate, hide=self._hide, load=cases.private_files())
        return room.__enter__()

    def outcomes(self, seed: str, exercises=None) -> Outcomes:
        """The outcomes of these exercises (of all), each proved to be worth all its points."""
        chosen = list(self._solutions) if exercises is None else exercises
        found = self._run(seed, chosen) if chosen else {}
        for exercise in chosen:
            self._prove(exercise, found.get(exercise, {}), seed)
        return found

    def _run(self, seed: str, exercises) -> Outcomes:
        parts = [self._part(exercise) for exercise in exercises]
        room = self._idle.pop() if self._idle else self._room()
        try:
            found = room.run({"solutions": parts, "seed": seed})["outcomes"]
        finally:
            self._idle.append(room)
        for exercise, outcomes in found.items():
            self._measured[exercise].update(name for name, one in outcomes.items() if "did" in one)
        return found

    def _part(self, exercise: str) -> dict:
        cells, known = self._solutions[exercise][1], self._measured[exercise].copy()
        return {"exercise": exercise, "cells": cells, "witnessed": sorted(known)}

    def _prove(self, exercise: str, found: dict[str, dict], seed: str) -> None:
        lesson, _, notes = self._solutions[exercise]
        for case in cases.of(exercise):
            outcome = found.get(case.name, {"missing": True})
            if not _full(case, outcome):
                raise syllabus.CannotGrade(
                    f"The solution of {exercise} fails '{case.name}' with the seed {seed}: "
                    f"{_shown(outcome, notes)}; mend it in {syllabus.source(lesson)} and build, or "
                    "choose another seed."
                )


def _full(case, outcome) -> bool:
    try:
        return judge(case, outcome, outcome).passed
    except ValueError:  # there is no value
        return False


def _shown(outcome: dict, notes: list[str]) -> str:
    if "error" in outcome:
        return f"{outcome['error']}: {outcome.get('text', '')}"
    kind, value = next(iter(outcome.items()))
    return f"{', '.join(notes) or kind} ({str(value)[:80]})"
