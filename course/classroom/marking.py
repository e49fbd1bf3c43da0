"""One submission becomes one record: each exercise run in a room of the learner's own, and judged.

The numbers are drawn for this learner and this very work: whoever changes a byte gets others, and
the same bytes get the same. Whatever was handed in, there is a record: what could not be read or
run is a note in it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

from course.classroom import answers, records, syllabus
from course.classroom.reference import References
from course.sandbox.room import Room
from course.trying import cases
from course.trying.judge import Verdict, judge, verdicts

FAILED = "The grader could not grade this: please look at it by hand."


class Stopped(Exception):
    """The person at the keyboard wants to stop; what is half graded is not kept."""


class Marker:
    """Grades submissions, in several threads at once; holds what all of them share."""

    def __init__(self, lessons, references: References, seed, isolate, hide: list[Path]):
        self.lessons, self.references, self.seed = lessons, references, seed
        self.isolate, self.hide = isolate, hide
        self.stopping: Callable[[], bool] = lambda: False

    def record(self, submission, digest: str, last: records.Record | None = None) -> records.Record:
        """The learner's record; an error of the grader's own is in it, with its last lines.

        `last` is the record of the learner's round before.
        """
        record = records.clean(blank(submission, digest, last))
        try:
            self._fill(record, submission)
        except Stopped:
            raise
        except Exception as error:
            record["digest"] = ""  # the next run tries again
            record["failed"] = "".join(traceback.format_exception(error)[-3:])
            record["notes"].append(FAILED)
        return records.clean(record)

    def _fill(self, record, submission) -> None:
        handed = [(lesson, submission.file(lesson.lesson)) for lesson in self.lessons]
        seed = drawn_for(self.seed, submission)
        wanted = self.references.outcomes(seed, [id for one in handed for id in written(*one)])
        load = cases.private_files()
        with Room(isolate=self.isolate, hide=self.hide, load=load) as room:
            for lesson, file in handed:
                record["notes"] += file.notes if file else ()
                record["exercises"] |= self._lesson(lesson, file, room, seed, wanted)
        absent = [lesson.lesson for lesson, file in handed if file is None]
        if 0 < len(absent) < len(self.lessons):
            many = "s" if len(absent) > 1 else ""
            record["notes"].append(f"not handed in: lesson{many} {', '.join(absent)}")

    def _lesson(self, lesson, file, room, seed, wanted) -> dict[str, dict]:
        if file is None or file.notebook is None:
            return {exercise: nothing(exercise) for exercise in lesson.stubs}
        return {
            exercise: self._exercise(lesson, exercise, file.notebook, room, seed, wanted)
            for exercise in lesson.stubs
        }

    def _exercise(self, lesson, exercise, read, room, seed, wanted) -> dict:
        if self.stopping():
            raise Stopped
        cells, notes = answers.cells_for(read, exercise, lesson.setup)
        known = cases.of(exercise)
        if exercise not in wanted:
            return nothing(exercise) | {"cases": unwritten(known), "notes": notes}
        job = {"lesson": lesson.lesson, "exercise": exercise, "cells": cells, "seed": seed}
        reply = room.run(job)
        found = verdicts(known, reply["outcomes"], wanted[exercise], readable)
        return {
            "points": sum(verdict.points for verdict in found),
            "of": syllabus.points(exercise),
            "cases": [verdict.as_dict() for verdict in found],
            "notes": [*notes, *reply["notes"]],
            "flags": own_flags(reply["flags"]) + too_cheap(known, found, reply, wanted[exercise]),
        }


def drawn_for(seed: str, submission) -> str:
    """The seed of a learner's numbers: another one for each learner, and for each work."""
    return records.digest(seed, submission.student, submission.digest)[:32]


def written(lesson, file) -> list[str]:
    """The exercises of a lesson that have an answer but the stub; a stub need not be run."""
    if file is None or file.notebook is None:
        return []
    stubs = set(answers.unwritten(file.notebook, lesson.stubs))
    return [exercise for exercise in lesson.stubs if exercise not in stubs]


def unwritten(known) -> list[dict]:
    """The verdicts on an exercise that nobody has begun."""
    rows = (Verdict(c.name, 0, c.points, "", "not written yet", "", "", True) for c in known)
    return [row.as_dict() for row in rows]


def blank(submission, digest: str, last: records.Record | None) -> records.Record:
    return {
        "student": submission.student,
        "name": submission.name,
        "digest": digest,
        "work": submission.digest,
        "round": records.round_of(submission.digest, last),
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
