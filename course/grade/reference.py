"""What the course's own solutions give for the instructor's draw: nothing else is expected.

They run as a learner's work does, in the same room; one that fails is ours to mend, and stops the
class before anybody is graded against it.
"""

from __future__ import annotations

from pathlib import Path

from course.grade import answers, cases, syllabus
from course.grade.handout import Handout
from course.grade.judge import judge

Outcomes = dict[str, dict[str, dict]]  # {exercise: {case: outcome}}


def outcomes(root: Path, lesson: Handout, seed: str, room) -> Outcomes:
    """The outcomes of a lesson's solutions, each proved to be worth all its points."""
    solved = syllabus.solution(root, lesson)
    return {exercise: _outcomes(room, solved, exercise, lesson, seed) for exercise in lesson.stubs}


def _outcomes(room, solved, exercise: str, lesson: Handout, seed: str) -> dict[str, dict]:
    cells, notes = answers.cells_for(solved, exercise, lesson.setup)
    job = {"lesson": lesson.lesson, "exercise": exercise, "cells": cells, "seed": seed}
    found = room.run(job)["outcomes"] if cells else {}
    for case in cases.of(exercise):
        outcome = found.get(case.name, {"missing": True})
        if not _full(case, outcome):
            raise syllabus.CannotGrade(
                f"The solution of {exercise} fails '{case.name}' with the seed {seed}: "
                f"{_shown(outcome, notes)}; mend it in lessons/{lesson.stem}.py and build, or "
                "choose another seed."
            )
    return found


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
