"""What being late costs: days after `due`, less the free ones, each a share of the points.

A learner's free days are used up by the lessons in the order in which they were due. Whether
somebody was late is said by the roster's time, or by hand in [late.days], which goes before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from course.classroom import times
from course.classroom.lesson_names import require_lesson
from course.classroom.tables import BadFile, number, table, whole

KEYS = ("free_days", "percent_per_day", "at_most", "due", "days")
MOST_DAYS = 1000
ALL = ""  # the lesson that stands for all of them


@dataclass(frozen=True)
class Days:
    """So many days count for these lessons (for all where there is none)."""

    lesson: str
    days: int
    percent: float = 0


@dataclass(frozen=True)
class Late:
    """The section [late] of class.toml."""

    free_days: int = 0
    percent_per_day: float = 0
    at_most: float = 100
    due: dict[str, datetime] = field(default_factory=dict)  # by lesson, or {ALL: when}
    days: dict[str, dict[str, int]] = field(default_factory=dict)  # by student and lesson

    def late(self, student: str, handed_in: datetime | None) -> list[Days]:
        """The days late of one learner, before the free ones."""
        if student in self.days:
            return [Days(lesson, days) for lesson, days in self.days[student].items()]
        if handed_in is None:
            return []
        by_date = sorted((times.on_one_clock(d, handed_in), id, d) for id, d in self.due.items())
        return [Days(lesson, times.days_after(due, handed_in)) for _, lesson, due in by_date]

    def lacks_zone(self, handed_in: datetime | None) -> bool:
        """Whether that time has a zone, and something that was due has none."""
        zoned = handed_in is not None and handed_in.tzinfo is not None
        return zoned and any(due.tzinfo is None for due in self.due.values())

    def counted(self, late: list[Days], lessons: set[str]) -> list[Days]:
        """What is left of them after the free days, for these lessons."""
        left, found = self.free_days, []
        for one in late:
            if one.lesson in lessons or (one.lesson == ALL and lessons):
                days = max(0, one.days - left)
                left -= one.days - days
                percent = min(self.at_most, self.percent_per_day * days)
                found.append(Days(one.lesson, days, percent))
        return found


def late(where: object, data: dict[str, Any]) -> Late:
    """What [late] says."""
    by_hand = table(where, data, "days")
    if "percent_per_day" in data and not {"due", "days"} & data.keys():
        raise BadFile(f"{where}: nobody is late without a time: add due, or a table of days.")
    return Late(
        whole(where, "free_days", data.get("free_days", 0), "it", MOST_DAYS),
        number(where, "percent_per_day", data.get("percent_per_day", 0), "it", 100),
        number(where, "at_most", data.get("at_most", 100), "it", 100),
        _due(where, data["due"]) if "due" in data else {},
        {student: _by_hand(where, student, days) for student, days in by_hand.items()},
    )


def require_lessons(where: object, known: Late, lessons, bare: Iterable[str] = ()) -> None:
    """Refuse a lesson that the course does not have; `bare` are those without exercises."""
    by_hand = {lesson for days in known.days.values() for lesson in days}
    for lesson in sorted({*known.due, *by_hand} - {ALL}):
        require_lesson(where, lesson, lessons, bare)


def _due(where: object, value: object) -> dict[str, datetime]:
    rows: dict[str, Any] = value if isinstance(value, dict) else {ALL: value}
    for lesson, when in rows.items():
        if not isinstance(when, date):  # a datetime is one too
            name = f'due "{lesson}"' if lesson else "due"
            raise BadFile(
                f"{where}: {name} = {when!r}, but it is a time without quotes, such as "
                "2026-12-01T23:59:00+01:00."
            )
    return {lesson: times.end(when) for lesson, when in rows.items()}


def _by_hand(where: object, student: str, value: object) -> dict[str, int]:
    rows: dict[str, Any] = value if isinstance(value, dict) else {ALL: value}
    return {
        lesson: whole(where, f"{student} {lesson}".strip(), days, "a count of days", MOST_DAYS)
        for lesson, days in rows.items()
    }
