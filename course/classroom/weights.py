"""What each exercise counts for: its own points, or what a weights.toml makes of them.

A number multiplies the points: 0 leaves an exercise out, 2 counts it double. An exercise's number
goes before its lesson's, and a lesson's before `other`.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path

TABLES = ("lessons", "exercises", "other")


class BadWeights(Exception):
    """A sentence: what in the file cannot be used, and what can."""


def weights(file: Path | None, lessons: dict[str, list[str]]) -> dict[str, float]:
    """{exercise: factor} for every exercise of the course."""
    data = read(file) if file else {}
    names = [exercise for ids in lessons.values() for exercise in ids]
    by_lesson = table(file, data, "lessons", list(lessons))
    by_exercise = table(file, data, "exercises", names)
    other = factor(file, "other", data.get("other", 1))
    return {
        exercise: by_exercise.get(exercise, by_lesson.get(lesson, other))
        for lesson, ids in lessons.items()
        for exercise in ids
    }


def read(file: Path) -> dict:
    try:
        data = tomllib.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise BadWeights(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadWeights(f"{file} is not TOML ({error}): write lines like freed = 2.") from None
    for name in data:
        require_known(file, name, TABLES)
    return data


def table(file: Path | None, data: dict, name: str, known: list[str]) -> dict[str, float]:
    rows = data.get(name, {})
    if not isinstance(rows, dict):
        raise BadWeights(f"{file}: {name} is a table, [{name}] with one line each below it.")
    for row in rows:
        require_known(file, row, known)
    return {row: factor(file, row, number) for row, number in rows.items()}


def require_known(file: Path | None, name: str, known) -> None:
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known)[:8])}."
    raise BadWeights(f"{file}: there is no {name}; {meant}")


def factor(file: Path | None, name: str, number: object) -> float:
    fine = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not fine or not 0 <= number <= 1000:  # type: ignore[operator]
        raise BadWeights(f"{file}: {name} = {number!r}, but a weight is a number from 0 to 1000.")
    return number  # type: ignore[return-value]
