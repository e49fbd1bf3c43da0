"""A class graded with one command: what is graded is kept, whatever happens to the rest.

Each learner's record is written the moment it is there. A second run takes it as it is where the
work, the course, the seed and the mode are the same, so that a stopped run goes on. In OUT,
learners/ alone is for learners. What class.toml and overrides.csv say changes the books, and nobody
is graded again for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from course import copies
from course.classroom import (
    books,
    closing,
    exports,
    inbox,
    klass,
    misconceptions,
    overrides,
    page,
    records,
    report,
    similar_page,
    syllabus,
)
from course.classroom.beginning import alone, require_places, settled_seed, write_facts
from course.classroom.klass import Klass
from course.classroom.learners import Learners
from course.classroom.lesson_names import without_exercises
from course.classroom.marking import Marker, Stopped
from course.classroom.naming import apart, people
from course.classroom.packed import Packed
from course.classroom.reference import References
from course.classroom.syllabus import CannotGrade
from course.classroom.terminal import Progress, say
from course.sandbox import homes
from course.sandbox.room import Refused

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Options:
    submissions: Path
    out: Path
    seed: str | None = None
    isolate: bool = True
    fail_under: float | None = None
    again: bool = False
    klass: Path | None = None  # class.toml
    lessons: Sequence[str] = ()  # go before those of class.toml
    jobs: int = 2
    private: Path | None = None


def grade(options: Options, root: Path = ROOT) -> int:
    """Grade the class, write its books, and say how it went; the exit code of the command."""
    require_places(options)
    settings = klass.read(options.klass) if options.klass else Klass()
    options = replace(options, private=options.private or settings.private)
    syllabus.private(options.private)
    course = syllabus.lessons(root)
    exercises = {lesson.lesson: list(lesson.stubs) for lesson in course}
    bare = without_exercises(root, exercises)
    settings.require_places(exercises, bare)
    settings.require_lessons(list(exercises), bare)
    factors = settings.factors(exercises)
    columns = syllabus.columns(course, factors)
    where = "--lessons" if options.lessons else f"{settings.file}: lessons"
    lessons = syllabus.asked(course, options.lessons or settings.lessons, where, bare)
    learners = Learners(settings, received(options.submissions, root))
    with alone(options.out):
        return Class(options, root, lessons, columns, learners).run()


class Class:
    """One run over all submissions."""

    def __init__(self, options: Options, root: Path, lessons, columns, learners: Learners):
        self.options, self.root, self.lessons = options, root, lessons
        self.learners, self.handed = learners, learners.submissions
        self.columns = [c for c in columns if c.lesson in {one.lesson for one in lessons}]
        learners.require_known(self._has_record)
        own = books.full(self.columns)
        by_hand = overrides.read(
            options.out / overrides.NAME,
            learners.names,
            {column.exercise: column.of for column in columns},
            max(own, books.full(columns)),
            self._has_record,
        )
        self.called = apart({id: name or id for id, name in learners.names.items()})
        learners.overrides, self.aside = overrides.fitting(
            by_hand, own, [lesson.lesson for lesson in lessons], self.called
        )
        self.seed = settled_seed(options)
        self.mode = "isolated" if options.isolate else "plain"
        self.course = syllabus.version(root)
        self.records: dict[str, records.Record] = {}
        self.code: dict[str, Packed] = {}  # of each learner, by exercise, from the pages on
        self.stopped = False

    def _has_record(self, student: str) -> bool:
        """Whether another run graded this learner, who need not be here now."""
        return records.path(self.options.out, student).exists()

    def run(self) -> int:
        homes.clear_once()  # also if nobody is left to grade, and so no room is made
        write_facts(self.options.out, self.seed, self.mode, self.course)
        todo = self._take_kept()
        if todo:
            try:
                self._grade(todo)
            except KeyboardInterrupt:
                self.stopped = True
        self._write_books()
        return self._close()

    def _take_kept(self) -> list:
        """Take over the records that are there; what is left to grade."""
        todo = []
        for submission in self.handed:
            digest = self._digest(submission)
            student = records.clean(submission.student)
            last = records.last(self.options.out, student)
            missing = self._missing(last, digest)
            if last and missing == []:
                self.records[student] = records.short(last)
            else:
                todo.append((submission, digest, missing))
        if self.records:
            say(f"{len(self.records)} of {len(self.handed)} kept from the run before.")
        return todo

    def _missing(self, last: records.Record | None, digest: str) -> list | None:
        """The lessons that the learner's record lacks; None where all are graded anew."""
        seconds = self.learners.settings.seconds_per_learner
        if last is None or last["digest"] != digest or self.options.again:
            return None
        if last.get("out_of_time", seconds) < seconds:  # there is more time now
            return None
        return [one for one in self.lessons if not set(one.stubs) <= set(last["exercises"])]

    def _digest(self, submission) -> str:
        parts: list[str | bytes] = [self.course, self.seed, self.mode]
        parts += [submission.student, submission.name, *submission.notes, submission.digest]
        parts += [file.name for file in submission.files]
        return records.digest(*parts)

    def _grade(self, todo: list) -> None:
        hide = [self.options.submissions, self.options.out]
        hide += [self.options.private] if self.options.private else []
        with References(self.lessons, self.options.isolate, hide) as references:
            references.outcomes(self.seed)  # a solution that fails is found before anybody waits
            seconds = self.learners.settings.seconds_per_learner
            isolate = self.options.isolate
            marker = Marker(self.lessons, references, self.seed, isolate, hide, seconds)
            self._mark(marker, todo)

    def _mark(self, marker: Marker, todo: list) -> None:
        progress = Progress(len(todo))
        pool = ThreadPoolExecutor(self.options.jobs)
        jobs = [pool.submit(self._one, marker, *each) for each in todo]
        try:
            for job in as_completed(jobs):
                record = job.result()
                self.records[record["student"]] = record
                progress.step(self._said(record))
        except KeyboardInterrupt:
            progress.close()
            self._stop(marker, pool, jobs)
            raise
        except Exception:  # the disk is full, say: no use in grading on
            pool.shutdown(cancel_futures=True)
            raise next(filter(None, map(trouble, jobs))) from None
        pool.shutdown()
        progress.close()

    def _one(self, marker: Marker, submission, digest: str, missing) -> records.Record:
        """Grade and save; what is given back is what the books need."""
        last = records.last(self.options.out, records.clean(submission.student))
        record = marker.record(submission, digest, last, missing)
        try:
            records.save(self.options.out, record)
        except OSError:
            marker.stopping = lambda: True  # at once, not when the main thread hears of it
            raise
        return records.short(record)

    def _stop(self, marker: Marker, pool, jobs: list[Future]) -> None:
        """Let the exercises at hand come to their end, and keep who was finished by then."""
        print()
        say("Stopping after the exercises at hand; Ctrl-C once more ends at once.")
        marker.stopping = lambda: True
        try:
            pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            os._exit(130)  # what was graded is on the disk; a room ends with its grader
        for job in jobs:
            if not job.cancelled() and not job.exception():
                self.records[job.result()["student"]] = job.result()
        # Ctrl-C ends a process that is just being made: no fault of its learner, and no grade.
        lost = [student for student, record in self.records.items() if "failed" in record]
        for student in lost:
            del self.records[student]

    def _said(self, record: records.Record) -> str:
        row = books.row(record, self.columns, self.learners.known(record["student"]))
        return f"{self.called[row.student]} {row.total} of {books.full(self.columns)}"

    # --- books ------------------------------------------------------------------------------

    def _write_books(self) -> None:
        out = self.options.out
        titles = syllabus.titles(self.lessons)
        missing = len(self.handed) - len(self.records)
        remark = f"Not finished: {missing} of {len(self.handed)} are not graded yet." * bool(
            missing
        )
        everybody = self.records | self.learners.absent(self.lessons)
        known = {student: self.learners.known(student) for student in everybody}
        kind = self.learners.kind
        self.book = books.book(everybody.values(), self.columns, titles, remark, known, kind)
        for student in everybody:
            self._write_pages(student, everybody[student], known[student])
        found = similar_page.compared(self.book, self.code, self.lessons, self.stopped)
        facts = {"mode": self.mode, "course": self.course, "remark": remark}
        alike = {"similar": similar_page.as_facts(found), "rings": found.rings}
        copies.write(out / "grades.csv", books.as_csv(self.book))
        copies.write(out / "grades.json", books.as_json(self.book, **facts, **alike))
        copies.write(out / "gradebook.html", report.gradebook(self.book))
        copies.write(out / "misconceptions.html", misconceptions.misconceptions(self.book))
        copies.write(out / "similar.html", similar_page.page(self.book, found))
        roster = self.learners.settings.roster
        self.sentences = exports.write(out, self.book, self.options.submissions, roster)
        self.sentences += self.aside + similar_page.said(found)

    def _write_pages(self, student: str, short: records.Record, known) -> None:
        """The learner's two pages, from the whole record; of it only the code is held on.

        All code is compared in the end, when no room is open any more.
        """
        out = self.options.out
        whole = records.last(out, student) if student in self.records else short
        if whole is None:
            gone = records.path(out, student)
            raise CannotGrade(f"{gone} went away meanwhile: the same command makes it again.")
        written = {id: code(whole["exercises"][id]) for id in short["exercises"]}
        self.code[student] = Packed({id: cells for id, cells in written.items() if cells})
        row = books.row(whole, self.columns, known)
        copies.write_changed(records.page(out, student), page.learner(self.book, row))
        copies.write_changed(records.path(out, student, "html"), page.teacher(self.book, row))

    def _close(self) -> int:
        """Say what to look at; the exit code."""
        out = self.options.out
        if self.stopped:
            say(closing.stopped(len(self.records), len(self.handed), out), sys.stderr)
            return 130
        say(f"{report.summary(self.book)}. Books: {out / 'gradebook.html'}, grades.csv")
        for sentence in self.sentences:
            say(sentence)
        self._say(self._strangers(), "from other runs, not in these books")
        bound = self.options.fail_under or 0  # nobody has less than 0 %
        found = closing.groups(self.book.rows, bound)
        for what, rows in found.items():
            self._say([row.called for row in rows], what)
        return 1 if found.keys() & {closing.LOST, closing.low(bound)} else 0

    def _say(self, names: list[str], what: str) -> None:
        if names:
            say(f"{len(names)} {what}: {people(names, 10)}.")

    def _strangers(self) -> list[str]:
        """Who has a record and handed in nothing this time: in no book, and left alone."""
        ours = {records.path(self.options.out, student) for student in self.records}
        there = set((self.options.out / records.RECORDS).glob("*.json"))
        return sorted(file.stem for file in there - ours)


def code(exercise: dict) -> list[str]:
    """The sources of the cells that ran."""
    return [cell["source"] for cell in exercise.get("code", [])]


def trouble(job: Future) -> BaseException | None:
    """Why a job ended the class; those that were only stopped for it are not why."""
    error = None if job.cancelled() else job.exception()
    return None if isinstance(error, Stopped) else error


def received(path: Path, root: Path) -> list:
    """The submissions, one a student."""
    try:
        return inbox.submissions(path, syllabus.given(root))
    except inbox.NoSubmissions as error:
        raise CannotGrade(str(error)) from None


__all__ = ["CannotGrade", "Options", "Refused", "Stopped", "alone", "grade", "settled_seed"]
