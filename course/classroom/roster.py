"""Who is in the class: the CSV that Moodle or Canvas exports, or a plain one, as it is.

A line and a submission belong together by the platform's id, else by the name, else by the email.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from course.classroom import sheet
from course.classroom.senders import safe
from course.classroom.tables import BadFile

MOODLE, CANVAS, PLAIN = "moodle", "canvas", "plain"
# Headings in small letters: of ids (the first stands in names of files), name, email, time.
COLUMNS: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    MOODLE: (("identifier", "id number"), "full name", "email address",
             "last modified (submission)"),
    CANVAS: (("id", "sis user id", "sis login id"), "student", "", ""),  # or see TWO_NAMES
    PLAIN: (("student",), "name", "email", "handed_in"),
}  # fmt: skip
TWO_NAMES = "lastname", "firstname"  # Canvas's in the place of "student", where it is set so
NO_LEARNER = {"points possible", "student, test"}  # lines of Canvas's that stand for nobody
HOW = (
    "it needs the headings of Moodle's grading worksheet in English (Identifier, Full name), of "
    "Canvas's gradebook export (Student or LastName, FirstName; ID, Section), or student,name,email"
)


@dataclass(frozen=True)
class Entry:
    """One line: a learner; `cells` is all of it by its headings."""

    line: int
    ids: tuple[str, ...] = ()
    name: str = ""
    email: str = ""
    handed_in: str = ""
    cells: dict[str, str] = field(default_factory=dict)

    @property
    def student(self) -> str:
        """What the learner is called in files, who has handed in none."""
        return next((safe(text) for text in (*self.ids, self.name, self.email) if text), "")


@dataclass(frozen=True)
class Roster:
    file: Path
    kind: str
    entries: list[Entry]


def read(file: Path) -> Roster:
    found = sheet.read(file, lambda heads: bool(kind_of(heads)))
    if found is None:
        raise BadFile(f"{file} is no roster: {HOW}.")
    kind = kind_of(found.heads)
    entries = [_entry(file, kind, found.heads, *line) for line in found.lines]
    learners = [entry for entry in entries if entry.student and not _is_nobody(kind, entry)]
    _require_once(file, learners)
    if not learners:
        raise BadFile(f"{file} holds no learner: write one line for each below the headings.")
    return Roster(file, kind, learners)


def kind_of(heads: list[str]) -> str:
    """Whose roster has these headings; "" for nobody's."""
    small = {head.casefold() for head in heads}
    if "identifier" in small and small & {"full name", "email address", "status"}:
        return MOODLE
    canvas = "student" in small or small.issuperset(TWO_NAMES)
    if canvas and {"id", "section"} <= small and "name" not in small:
        return CANVAS
    return PLAIN if small & {"student", "name"} else ""


def _entry(file: Path, kind: str, heads: list[str], line: int, cells: list[str]) -> Entry:
    if any(cell.strip() for cell in cells[len(heads) :]):
        raise BadFile(
            f"{file} line {line} has {len(cells)} cells under {len(heads)} headings: put what "
            "holds a comma between quotes."
        )
    own = dict(zip(heads, [*cells, *[""] * len(heads)], strict=False))
    small = {head.casefold(): cell.strip() for head, cell in own.items()}
    ids, name, email, when = COLUMNS[kind]
    known = [small.get(head, "") for head in ids]
    if kind == MOODLE:  # "Participant 123" here is 123 in the names of the files
        known[0] = known[0].split()[-1] if known[0] else ""
    full = small.get(name) or ", ".join(small[part] for part in TWO_NAMES if small.get(part))
    return Entry(line, tuple(known), full, small.get(email, ""), small.get(when, ""), own)


def _is_nobody(kind: str, entry: Entry) -> bool:
    """Whether it is one of the lines that Canvas writes besides those of learners."""
    return kind == CANVAS and entry.name.casefold() in NO_LEARNER


def _require_once(file: Path, entries: list[Entry]) -> None:
    lines: dict[str, int] = {}
    for entry in entries:
        first = lines.setdefault(fold(entry.student), entry.line)
        if first != entry.line:
            raise BadFile(
                f"{file} lines {first} and {entry.line} are both {entry.student}: leave one out, "
                "or give each an id."
            )


# --- who is who ----------------------------------------------------------------------------


def matched(roster: Roster, submissions: Iterable) -> dict[str, Entry]:
    """{student: line} for all submissions that belong to one line and no other."""
    left, entries, found = list(submissions), list(roster.entries), {}
    for keys in _ways(roster.kind):
        pairs = _pairs(left, entries, *keys)
        found.update({one.student: entry for one, entry in pairs})
        taken = {id(part) for pair in pairs for part in pair}
        left = [one for one in left if id(one) not in taken]
        entries = [entry for entry in entries if id(entry) not in taken]
    return found


def _ways(kind: str) -> list[tuple[Callable, Callable]]:
    """(names of a submission, names of a line) to compare, the surest first."""
    ways: list[tuple[Callable, Callable]] = []
    for place in range(len(COLUMNS[kind][0])):
        ways.append((_platforms if place == 0 else _own, lambda e, n=place: _ids(e.ids[n])))
    return [*ways, (_names, lambda e: {fold(e.name)}), (_names, lambda e: {fold(e.email)})]


def _pairs(submissions: list, entries: list[Entry], ours: Callable, theirs: Callable) -> list:
    """The (submission, line) that share a name which nobody else has."""
    by_name: dict[str, list] = {}
    for entry in entries:
        for name in theirs(entry) - {""}:
            by_name.setdefault(name, []).append(entry)
    meant = [
        (one, {id(e): e for n in ours(one) for e in by_name.get(n, ())}) for one in submissions
    ]
    sure = [(one, next(iter(lines.values()))) for one, lines in meant if len(lines) == 1]
    often = Counter(id(entry) for _, entry in sure)
    return [(one, entry) for one, entry in sure if often[id(entry)] == 1]


def _platforms(one) -> set[str]:
    """The id that a platform wrote, or the name of who was handed in otherwise."""
    return {fold(one.student)} if one.listed else _own(one)


def _own(one) -> set[str]:
    """A number that a platform wrote is no other id than its own."""
    return set() if one.listed else {fold(one.student), fold(one.name)}


def _names(one) -> set[str]:
    return {fold(one.name)}


def _ids(text: str) -> set[str]:
    return {fold(text), fold(safe(text))} if text else set()


def fold(text: str) -> str:
    """The same for a name in capitals, with accents of their own, or as "Lovelace, Ada"."""
    last, comma, first = text.partition(",")
    words = f"{first} {last}" if comma else text
    return " ".join(re.split(r"\s+", unicodedata.normalize("NFC", words).casefold().strip()))
