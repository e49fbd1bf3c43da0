"""A lesson's number as teachers write it, 4 or 04, with quotes or without: read in one way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from course.classroom.handout import NOTEBOOKS
from course.classroom.naming import row
from course.classroom.tables import BadFile, require_known

MOST = 20  # numbers in a sentence
LONGEST = 9  # digits


def two_digits(name: object) -> str:
    """04 for 4, "4" and " 04"; what is no number stays as it is, for a sentence about it."""
    text = str(name).strip()
    return f"{int(text):02d}" if text.isdecimal() and len(text) < LONGEST else text


def is_name(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def numbers(names: Iterable[object]) -> list[str]:
    """Each once; blanks may stand between some of them."""
    parts = (part for name in names for part in str(name).split())
    return list(dict.fromkeys(map(two_digits, parts)))


def by_number(where: object, rows: Any) -> Any:
    """The table with its lessons as the course's files have them; anything else as it is."""
    if not isinstance(rows, dict):
        return rows
    found: dict[str, Any] = {}
    written: dict[str, str] = {}
    for name, value in rows.items():
        own = two_digits(name)
        if own in found:
            raise BadFile(f"{where}: {written[own]} and {name} are one lesson: leave one out.")
        found[own], written[own] = value, name
    return found


def everywhere(file: Path, data: dict[str, Any]) -> dict[str, Any]:
    """What class.toml says, with its lessons as the course's files have them."""
    made = dict(data)
    weights, late = data.get("weights"), data.get("late")
    if isinstance(weights, dict) and "lessons" in weights:
        lessons = by_number(f"{file}: [weights.lessons]", weights["lessons"])
        made["weights"] = weights | {"lessons": lessons}
    if isinstance(late, dict):
        made["late"] = late | _late(file, late)
    return made


def _late(file: Path, late: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "due" in late:
        found["due"] = by_number(f"{file}: [late.due]", late["due"])
    if isinstance(days := late.get("days"), dict):
        where = f"{file}: [late.days]"
        found["days"] = {who: by_number(f"{where} {who}", own) for who, own in days.items()}
    return found


def without_exercises(root: Path, graded: Iterable[str]) -> list[str]:
    """The lessons of the course that have a notebook and nothing to grade."""
    every = {path.name[:2] for path in (root / "notebooks").glob(NOTEBOOKS)}
    return sorted(every - set(graded))


def require_lesson(where: object, name: str, graded: Iterable[str], bare: Iterable[str]) -> None:
    """Refuse a lesson that cannot be graded; `bare` are those without exercises."""
    known = sorted(graded)
    if name in bare and name not in known:
        raise BadFile(
            f"{where}: lesson {name} has no exercises: leave it out. Lessons with exercises are "
            f"{row(known, MOST)}."
        )
    require_known(where, name, known)
