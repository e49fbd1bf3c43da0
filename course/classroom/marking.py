"""One submission becomes one record: each exercise run in a room of the learner's own, and judged.

The numbers are drawn for this learner and this very work: whoever changes a byte gets others, and
the same bytes get the same. Whatever was handed in, there is a record: what could not be read or
run is a note in it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from course.classroom import answers, records, syllabus
from course.classroom.reference import References
from course.sandbox.room import Room
from course.trying import alike, budget, cases
from course.trying.judge import Verdict, judge, verdicts
from course.trying.stopwatch import Stopwatch

FAILED = "The grader could not grade this: please look at it by hand."
UNTRIED = "not tried: the exercises before it took the {:g} s that a learner has"
MOST_CODE = 20_000  # characters of an exercise's cells that are kept
CUT = "\n# cut here"
PERHAPS_WRONG = "(other cases fail: it may be no more than a wrong answer)"
MEASURED = "the measured runs"
UNTOLD = "the run that was measured told nothing of what it did"
BEFORE = f"{cases.BY_HAND}: the answer needs tensors that were made while the cells ran"


class Stopped(Exception):
    """The person at the keyboard wants to stop; what is half graded is not kept."""


class Marker:
    """Grades submissions, in several threads at once; holds what all of them share."""

    stopwatch = staticmethod(lambda room: Stopwatch(room.worked))
    now = staticmethod(lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def __init__(
        self, lessons, references: References, seed, isolate, hide: list[Path], seconds: float
    ):
        self.lessons, self.references, self.seed = lessons, references, seed
        self.isolate, self.hide, self.seconds = isolate, hide, seconds
        self.stopping: Callable[[], bool] = lambda: False

    def record(
        self, submission, digest: str, last: records.Record | None = None, lessons=None
    ) -> records.Record:
        """The learner's record; an error of the grader's own is in it, with its last lines.

        `last` is the record of the learner's round before. If it is of the same digest, only
        these `lessons` are graded, and join it.
        """
        joined = last if last and last["digest"] == digest and lessons is not None else None
        record = records.clean(joined or blank(submission, digest, last))
        try:
            self._fill(record, submission, lessons if joined else self.lessons)
            record["history"] = records.history(record, last, self.now())
        except Stopped:
            raise
        except Exception as error:
            record["digest"] = ""  # the next run tries again
            *where, why = traceback.format_exception(error)[-3:]
            record["failed"] = "".join([why, *where])  # a page cuts off what is too long
            record["notes"].append(FAILED)
        return records.clean(record)

    def _fill(self, record, submission, lessons) -> None:
        handed = [(lesson, submission.file(lesson.lesson)) for lesson in lessons]
        seed = drawn_for(self.seed, submission)
        wanted = self.references.outcomes(seed, [id for one in handed for id in written(*one)])
        one = Room(isolate=self.isolate, hide=self.hide, load=cases.private_files())
        with Timed(one, self.seconds, self.stopwatch) as room:
            for lesson, file in handed:
                record["notes"] += file.notes if file else ()
                record["exercises"] |= self._lesson(lesson, file, room, seed, wanted)
        if room.refused:
            record["out_of_time"] = self.seconds

    def _lesson(self, lesson, file, room, seed, wanted) -> dict[str, dict]:
        notebook = file.notebook if file else None
        if notebook is None:
            return {exercise: nothing(exercise) for exercise in lesson.stubs}
        return {
            exercise: self._exercise(lesson, exercise, notebook, room, seed, wanted)
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
        job["witnessed"] = compared(known, wanted[exercise])
        reply = room.run(job)
        if reply is None:
            notes = [*notes, UNTRIED.format(self.seconds)]
            return nothing(exercise) | {
                "cases": untried(known),
                "notes": notes,
                "code": code(cells),
            }
        found = verdicts(known, reply["outcomes"], wanted[exercise], readable)
        flags = reply["flags"] + unlike(known, found, reply["outcomes"], wanted[exercise])
        if reply["made"] and earned_by_hand(found):
            flags += before(reply, room.run(job | {"idle": True}))
        return {
            "points": sum(verdict.points for verdict in found),
            "of": syllabus.points(exercise),
            "cases": [verdict.as_dict() for verdict in found],
            "notes": [*notes, *reply["notes"]],
            "flags": flags,
            "code": code(cells),
        }


class Timed:
    """A learner's room, which is shut once its jobs have taken so many seconds together.

    Each job has limits of its own, so that nobody goes far past it.
    """

    def __init__(self, room: Room, seconds: float, stopwatch: Callable[[Room], Stopwatch]):
        self.room, self.left, self.stopwatch = room, seconds, stopwatch
        self.refused = 0

    def __enter__(self) -> Timed:
        self.room.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self.room.__exit__(*error)

    def run(self, job: dict) -> dict | None:
        """The reply; None if there is no time left."""
        if self.left <= 0:
            self.refused += 1
            return None
        taken = self.stopwatch(self.room)
        reply = self.room.run(job)
        self.left -= taken.seconds()
        return reply


def drawn_for(seed: str, submission) -> str:
    """The seed of a learner's numbers: another one for each learner, and for each work."""
    return records.digest(seed, submission.student, submission.digest)[:32]


def written(lesson, file) -> list[str]:
    """The exercises of a lesson that have an answer but the stub; a stub need not be run."""
    notebook = file.notebook if file else None
    if notebook is None:
        return []
    stubs = set(answers.unwritten(notebook, lesson.stubs))
    return [exercise for exercise in lesson.stubs if exercise not in stubs]


def unwritten(known) -> list[dict]:
    """The verdicts on an exercise that nobody has begun."""
    rows = (Verdict(c.name, 0, c.points, "", "not written yet", "", "", True) for c in known)
    return [row.as_dict() for row in rows]


def untried(known) -> list[dict]:
    """The verdicts on an exercise for which there was no time."""
    rows = (Verdict(c.name, 0, c.points, "", "not tried", "", "") for c in known)
    return [row.as_dict() for row in rows]


def code(cells: list[dict]) -> list[dict]:
    """The learner's cells that ran, for a person to look at; the rest of very long ones is cut."""
    kept, left = [], MOST_CODE
    for cell in cells:
        if cell["name"] != answers.SETUP and left > 0:
            source = cell["source"]
            kept.append(
                {"name": cell["name"], "source": source[:left] + CUT * (len(source) > left)}
            )
            left -= len(source)
    return kept


def blank(submission, digest: str, last: records.Record | None) -> records.Record:
    return {
        "student": submission.student,
        "name": submission.name,
        "digest": digest,
        "work": submission.digest,
        "round": records.round_of(submission.digest, last),
        "handed_in": [file.lesson for file in submission.files],
        "notes": list(submission.notes),
        **({"unread": list(submission.unread)} if submission.unread else {}),
        **({"bare": list(submission.bare)} if submission.bare else {}),
        "exercises": {},
        "history": (last or {}).get("history", []),
    }


def nothing(exercise: str) -> dict:
    """An exercise of which there is nothing to grade."""
    of = syllabus.points(exercise)
    return {"points": 0, "of": of, "cases": [], "notes": [], "flags": [], "code": []}


def earned_by_hand(found) -> bool:
    """Whether an answer that is to be worked out by hand seems to have been."""
    return any(verdict.case == cases.BY_HAND and verdict.passed for verdict in found)


def before(reply: dict, idle: dict | None) -> list[str]:
    """Whether the answer is another one when the engine is idle while the cells run."""
    if idle is None:  # there was no time
        return []
    one, other = (
        [part.get("did", {}).get("gave") for part in draws_of(outcome)]
        for outcome in (found["outcomes"][cases.BY_HAND] for found in (reply, idle))
    )
    return [] if one == other else [BEFORE]


def unlike(known, found, outcomes, wanted) -> list[str]:
    """Of what was earned by a measured run: where it did not do the same work, or not as it did."""
    earned = [case for case, verdict in zip(known, found, strict=True) if verdict.passed]
    flags, runs = [], []
    for case in earned:
        pairs = _pairs(case, outcomes[case.name], wanted[case.name])
        flags += [f"{case.name}: {said}" for said in _unlike(case, pairs)]
        told = all("did" in one for one in draws_of(outcomes[case.name]))
        flags += [f"{case.name}: {UNTOLD}"] * (measures(case, wanted[case.name]) and not told)
        runs += [] if case.free else [(own["did"], right["did"]) for own, right in pairs]
    said = alike.apart(runs)
    flags += [f"{MEASURED}: {said}"] * bool(said)
    return flags if len(earned) == len(found) else [f"{flag} {PERHAPS_WRONG}" for flag in flags]


def _pairs(case, outcome: dict, wanted: dict) -> list[tuple]:
    """Each measured draw of the case, and that of the reference."""
    draws = zip(draws_of(outcome), draws_of(wanted), strict=False)
    return [(own, right) for own, right in draws if "did" in own and is_measured(case, right)]


def _unlike(case, pairs) -> list[str]:
    said = [alike.otherwise(own["did"], right["did"], case.free) for own, right in pairs]
    for told, count in ELSEWHERE.items() if case.is_cost else ():
        most = max((_beyond(case, own, right, count) for own, right in pairs), default=0)
        said.append(f"{most} bytes {told}" if most else "")
    return list(dict.fromkeys(filter(None, said)))


def compared(known, wanted) -> list[str]:
    """The cases of which it matters what the run did: a witness takes a third of a case's time."""
    return [
        case.name
        for case in known
        if case.name == cases.BY_HAND or measures(case, wanted[case.name])
    ]


def draws_of(outcome: dict) -> list[dict]:
    """The outcome of each draw."""
    return [outcome, *outcome.get("more", ())]


def measures(case, wanted: dict) -> bool:
    """Whether there was something to measure in a draw of the reference's."""
    return any(is_measured(case, one) for one in draws_of(wanted))


def is_measured(case, right: dict) -> bool:
    """Whether there was something to measure in the reference's run."""
    return "did" in right and (case.is_cost or bool(right["did"]["outside"]))


ELSEWHERE = {
    "were held where the ledger, or NumPy, does not look": alike.hidden,
    "of values were taken to where nobody counts them": alike.taken,
    "of the case's own were used as scratch, and put back as they were": alike.lent,
}


def _beyond(case, own: dict, right: dict, count) -> int:
    """The bytes that the ledger did not see, where they would not have been allowed."""
    if case.name == cases.BY_HAND:  # there NumPy may help to count
        return 0
    found, sizes = count(own["did"], right["did"]), right.get("sizes")
    room = budget.most(case.at_most, sizes) - own["value"] if case.at_most and sizes else 0
    if case.free:  # it may do other work, and NumPy's own
        room = max(room, alike.enough(right["did"]))
    return found if found > room else 0


def readable(case, outcome: dict, wanted: dict) -> Verdict:
    """The verdict; an outcome that nobody can read is the learner's, and no end of the class."""
    try:
        return judge(case, outcome, wanted)
    except Exception as error:
        garbled = {"error": "Garbled", "text": f"what it sent back cannot be read ({error})"}
        return judge(case, garbled, wanted)


def in_part(record: records.Record) -> bool:
    """Whether something of it could not be graded: a file, an exercise, or for want of time."""
    return bool(record.keys() & {"failed", "out_of_time", "unread"})


def graded(record: records.Record) -> bool:
    """Whether anything of it could be graded."""
    return any(exercise["cases"] for exercise in record["exercises"].values())
