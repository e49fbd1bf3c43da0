"""The last lines of a run: whom to look at, and why.

Who could not be graded is told apart from who handed in nothing of what is graded now: the first
is for a person to look at, the second has a page that says it all.
"""

from __future__ import annotations

from pathlib import Path

from course.classroom import books
from course.classroom.books import Row
from course.classroom.marking import graded, in_part

LOST = "could not be graded; their pages in records/ say why"
PART = "could be graded only in part; their pages in records/ say why"
BARE = (
    "handed in a notebook without an exercise, the lesson perhaps; their pages name the right one"
)
FLAGGED = "flagged for a person to look at; no points were taken"


def stopped(done: int, total: int, out: Path) -> str:
    """What is said after Ctrl-C."""
    return (
        f"Stopped. {done} of {total} are graded and kept in {out}, and the books there know no "
        "others: the same command goes on from here."
    )


def groups(rows: list[Row], bound: float) -> dict[str, list[Row]]:
    """{what there is to say: of whom}, in the order in which it is said."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if not row.handed_in:
            found.setdefault("handed in nothing", []).append(row)
    for row in rows:
        for remark in row.remarks:
            found.setdefault(remark, []).append(row)
    about: dict[str, list[Row]] = {LOST: [], PART: []}
    for row in rows:
        if what := trouble(row):
            about.setdefault(what, []).append(row)
    about |= {
        BARE: [row for row in rows if row.record.get("bare")],
        FLAGGED: [row for row in rows if books.flags(row.record)],
        low(bound): [row for row in rows if row.percent < bound],
    }
    return found | {what: some for what, some in about.items() if some}


def low(bound: float) -> str:
    return f"below {bound:g} %"


def trouble(row: Row) -> str:
    """Why somebody who handed in has nothing, or not all, of what could be graded; or ""."""
    if not row.handed_in:
        return ""
    if graded(row.record):
        return PART if in_part(row.record) else ""
    return books.nothing_of(row.record) or LOST
