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
    if due.tzinfo is None:
        due = due.replace(tzinfo=handed_in.tzinfo)
    if handed_in.tzinfo is None:
        handed_in = handed_in.replace(tzinfo=due.tzinfo)
    return max(0, math.ceil((handed_in - due) / DAY))
