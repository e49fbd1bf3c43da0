"""One submission becomes one record: each exercise run in a room of the learner's own, and judged.

Whatever was handed in, there is a record: what could not be read or run is a note in it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

from course.grade import answers, cases, records, syllabus
from course.grade.judge import Verdict, judge, verdicts
from course.grade.room import Room

FAILED = "The grader could not grade this ({}): please look at it by hand."


class Stopped(Exception):
    """The person at the keyboard wants to stop; what is half graded is not kept."""


class Marker:
    """Grades submissions, in several threads at once; holds what all of them share."""

    def __init__(self, lessons, wanted, seed, isolate=False, hide: list[Path] | None = None):
        self.lessons, self.wanted, self.seed = lessons, wanted, seed
        self.isolate, self.hide = isolate, hide or []
        self.stopping: Callable[[], bool] = lambda: False

    def record(self, submission, digest: str) -> records.Record:
        """The learner's record; an error of the grader's own is in it, with its last lines."""
        record = records.clean(blank(submission, digest))
        try:
            with Room(isolate=self.isolate, hide=self.hide) as room:
                self._fill(record, submission, room)
        except Stopped:
            raise
        except Exception as error:
            record["digest"] = ""  # the next run tries again
            record["failed"] = "".join(traceback.format_exception(error)[-3:])
            record["notes"].append(FAILED.format(f"{type(error).__name__}: {error}"[:200]))
        return records.clean(record)

    def _fill(self, record, submission, room) -> None:
        absent = []
        for lesson in self.lessons:
            file = submission.file(lesson.lesson)
            if file is None:
                absent.append(lesson.lesson)
            record["notes"] += file.notes if file else ()
            read = file.notebook if file else None
            record["exercises"] |= self._lesson(lesson, read, room)
        if 0 < len(absent) < len(self.lessons):
            many = "s" if len(absent) > 1 else ""
            record["notes"].append(f"not handed in: lesson{many} {', '.join(absent)}")

    def _lesson(self, lesson, read, room) -> dict[str, dict]:
        if read is None:
            return {exercise: nothing(exercise) for exercise in lesson.stubs}
        unwritten = answers.unwritten(read, lesson.stubs)
        return {
            exercise: self._exercise(lesson, exercise, read, room, exercise not in unwritten)
            for exercise in lesson.stubs
        }

    def _exercise(self, lesson, exercise, read, room, written) -> dict:
        if self.stopping():
            raise Stopped
        cells, notes = answers.cells_for(read, exercise, lesson.setup)
        reply: dict = {"outcomes": {}, "notes": [], "flags": []}
        if cells and written:  # a stub need not be run to be one
            job = {"lesson": lesson.lesson, "exercise": exercise, "cells": cells}
            reply = room.run(job | {"seed": self.seed})
        wanted = self.wanted[lesson.lesson][exercise]
        known = cases.of(exercise)
        found = verdicts(known, reply["outcomes"], wanted, readable)
        return {
            "points": sum(verdict.points for verdict in found),
            "of": syllabus.points(exercise),
            "cases": [verdict.as_dict() for verdict in found],
            "notes": [*notes, *reply["notes"]],
            "flags": own_flags(reply["flags"]) + too_cheap(known, found, reply, wanted),
        }


def blank(submission, digest: str) -> records.Record:
    return {
        "student": submission.student,
        "name": submission.name,
        "digest": digest,
        "notes": list(submission.notes),
        "exercises": {},
    }


def nothing(exercise: str) -> dict:
    """An exercise of which there is nothing to grade."""
    of = syllabus.points(exercise)
    return {"points": 0, "of": of, "cases": [], "notes": [], "flags": []}


def own_flags(flags: list[str]) -> list[str]:
    """Those about the learner's cells: the set-up cell that ran is the course's own."""
    return [flag for flag in flags if not flag.startswith(f"{answers.SETUP} ")]


def too_cheap(known, found, reply, wanted) -> list[str]:
    """What was paid for with less than half of the reference's cost, or past the measurement."""
    paid = [
        (case.name, reply["outcomes"][case.name]["value"], wanted[case.name]["value"])
        for case, verdict in zip(known, found, strict=True)
        if case.at_most is not None and verdict.passed
    ]
    return [f"{name}: {own}, the reference {ref}" for name, own, ref in paid if 2 * own < ref]


def readable(case, outcome: dict, wanted: dict) -> Verdict:
    """The verdict; an outcome that nobody can read is the learner's, and no end of the class."""
    try:
        return judge(case, outcome, wanted)
    except Exception as error:
        garbled = {"error": "Garbled", "text": f"what it sent back cannot be read ({error})"}
        return judge(case, garbled, wanted)


def graded(record: records.Record) -> bool:
    """Whether anything of it could be graded."""
    return any(exercise["cases"] for exercise in record["exercises"].values())
