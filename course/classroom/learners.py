"""Who is graded: those who handed in and those on the roster, and what is known of each.

Nothing here grades anything: what changes here changes the books alone.
"""

from __future__ import annotations

from collections.abc import Callable

from course.classroom import marking, records, roster, tables, times
from course.classroom.books import Known
from course.classroom.klass import Klass
from course.classroom.overrides import Overrides

NOTHING = "handed in nothing"
STRANGER = "on no line of the roster"
UNREADABLE = "handed in at a time that cannot be read: write the days late below [late.days]"
NO_ZONE = (
    "handed in at a time with a zone, and what is due in [late] has none, so this zone was "
    "taken for it: write it, as in 2026-12-01T23:59:00+01:00"
)
LATE = "handed in late, says the file's name: write the days below [late.days]"


class Learners:
    """All of a class by their student's id."""

    overrides: Overrides = {}

    def __init__(self, settings: Klass, submissions: list):
        self.settings, self.submissions = settings, submissions
        self._roster = roster.read(settings.roster) if settings.roster else None
        entries = roster.matched(self._roster, submissions) if self._roster else {}
        self._entries = {records.clean(student): entry for student, entry in entries.items()}
        self._handed = {records.clean(one.student): one for one in submissions}
        self._absent = self._left()

    @property
    def kind(self) -> str:
        """Whose roster it is; "" without one."""
        return self._roster.kind if self._roster else ""

    @property
    def names(self) -> dict[str, str]:
        """{student: name}."""
        own = {student: one.name for student, one in self._handed.items()}
        listed = {**self._entries, **self._absent}
        return own | {student: e.name or own.get(student, "") for student, e in listed.items()}

    def require_known(self, elsewhere: Callable[[str], bool]) -> None:
        """Refuse days of somebody who is neither here nor known from another run."""
        for student in self.settings.late.days:
            if not elsewhere(student):
                tables.require_known(f"{self.settings.file}: [late.days]", student, self.names)

    def _left(self) -> dict[str, roster.Entry]:
        """The lines of the roster that no submission belongs to, by an id that nobody else has."""
        found: dict[str, roster.Entry] = {}
        matched = {entry.line for entry in self._entries.values()}
        for entry in self._roster.entries if self._roster else ():
            if entry.line not in matched:
                student = entry.student
                while student in self._handed or student in found:
                    student += "-"
                found[student] = entry
        return found

    def absent(self, lessons) -> dict[str, records.Record]:
        """{student: record} of those who handed in nothing."""
        return {student: self._blank(student, lessons) for student in self._absent}

    def _blank(self, student: str, lessons) -> records.Record:
        exercises = {id: marking.nothing(id) for lesson in lessons for id in lesson.stubs}
        return {
            "student": student,
            "name": self._absent[student].name,
            "digest": "",
            "notes": [NOTHING],
            "exercises": exercises,
        }

    def known(self, student: str) -> Known:
        """What the books need besides the learner's record."""
        entry = self._entries.get(student) or self._absent.get(student) or roster.Entry(0)
        late, remarks = self._late(student, entry)
        if self._roster and not entry.line:
            remarks = [f"{STRANGER} ({self._roster.file.name})", *remarks]
        return Known(
            student in self._handed,
            entry.cells,
            entry.name,
            tuple(late),
            self.overrides.get(student, {}),
            tuple(remarks),
        )

    def _late(self, student: str, entry: roster.Entry) -> tuple[list, list[str]]:
        """(days that count, remarks)."""
        one, late = self._handed.get(student), self.settings.late
        if one is None:
            return [], []
        when = times.moment(entry.handed_in)
        days = late.late(student, when)
        remarks = []
        if late.due and not days and entry.handed_in not in times.NEVER:
            remarks.append(UNREADABLE)
        elif one.late and not days:
            remarks.append(LATE)
        elif student not in late.days and late.lacks_zone(when):
            remarks.append(NO_ZONE)
        return late.counted(days, {file.lesson for file in one.files}), remarks
