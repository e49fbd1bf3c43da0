"""A time as people and learning platforms write it, and the days between two of them."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta

# Moodle's in English, without the day of the week, in the order of Europe and of America.
MOODLES = ("%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p", "%B %d, %Y, %H:%M")
FORMATS = (*MOODLES, "%Y-%m-%d %H:%M")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NEVER = ("", "-")
DAY = timedelta(days=1)


def moment(text: str) -> datetime | None:
    """The time that the text says; None where it says none that can be read for sure."""
    said = text.strip()
    try:
        return datetime.fromisoformat(said)
    except ValueError:
        pass  # not ISO: Moodle's, or nobody's
    first, _, rest = said.partition(", ")
    if first.lower() in DAYS:
        said = rest
    for form in FORMATS:
        try:
            return datetime.strptime(said, form)
        except ValueError:
            continue
    return None


def end(due: date) -> datetime:
    """The time itself, or the end of a day."""
    return due if isinstance(due, datetime) else datetime.combine(due, time.max)


def days_after(due: datetime, handed_in: datetime) -> int:
    """A minute late is one day late. Without a zone a time is meant in the zone of the other."""
    return max(0, math.ceil((in_zone(handed_in, due) - in_zone(due, handed_in)) / DAY))


def in_zone(when: datetime, other: datetime) -> datetime:
    """The time itself, or without a zone the same hour in the zone of the other, if it has one."""
    return when if when.tzinfo else when.replace(tzinfo=other.tzinfo)


def on_one_clock(due: datetime, handed_in: datetime) -> datetime:
    """The due time, so that several can be put in order for this time at which work came.

    Where that has no zone, each due time was the hour on the clock beside it.
    """
    return in_zone(due, handed_in) if handed_in.tzinfo else due.replace(tzinfo=None)
