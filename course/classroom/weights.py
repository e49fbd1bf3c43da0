"""What each exercise counts for: its own points, or what [weights] of a class.toml makes of them.

A number multiplies the points: 0 leaves an exercise out, 2 counts it double. An exercise's number
goes before its lesson's, and a lesson's before `other`.
"""

from __future__ import annotations

from course.classroom.tables import number, table

TABLES = ("lessons", "exercises", "other")


def weights(where: object, data: dict, lessons: dict[str, list[str]]) -> dict[str, float]:
    """{exercise: factor} for every exercise of the course; sentences begin with `where`."""
    by_lesson = factors(where, table(where, data, "lessons"))
    by_exercise = factors(where, table(where, data, "exercises"))
    other = factor(where, "other", data.get("other", 1))
    return {
        exercise: by_exercise.get(exercise, by_lesson.get(lesson, other))
        for lesson, ids in lessons.items()
        for exercise in ids
    }


def factors(where: object, rows: dict) -> dict[str, float]:
    return {row: factor(where, row, value) for row, value in rows.items()}


def factor(where: object, name: str, value: object) -> float:
    return number(where, name, value, "a weight", 1000)
