"""How a teacher wants a class graded: one class.toml (docs/class.toml.md), read and checked.

Knows what the keys are; what lessons and learners there are is checked by those who know them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.classroom import late
from course.classroom.lesson_names import (
    everywhere,
    is_name,
    numbers,
    require_lesson,
    two_digits,
)
from course.classroom.tables import BadFile, number, place, require_place, table, toml
from course.classroom.weights import TABLES, weights

KEYS = ("lessons", "weights", "roster", "late", "seconds_per_learner", "private")
PLACES = {"": KEYS, "roster": ("file",), "late": late.KEYS, "weights": TABLES}
REMEDY = "name the file that says how the class is graded, or leave --class out"
SECONDS = 600
MOST_SECONDS = 86_400


@dataclass(frozen=True)
class Klass:
    """What class.toml says, and what holds without one."""

    file: Path = Path("class.toml")
    lessons: tuple[str, ...] = ()  # all of the course
    weights: dict[str, Any] = field(default_factory=dict)
    roster: Path | None = None
    late: late.Late = late.Late()
    seconds_per_learner: float = SECONDS
    private: Path | None = None
    data: dict[str, Any] = field(default_factory=dict, compare=False)  # all of it, as it stands

    def require_places(self, lessons: dict[str, list[str]], bare: Iterable[str] = ()) -> None:
        """Refuse a row that no table has, or another one than that in which it stands.

        `bare` are the lessons without exercises.
        """
        exercises = [exercise for ids in lessons.values() for exercise in ids]
        own = {"weights.lessons": list(lessons), "weights.exercises": exercises}
        places = {**PLACES, **own}
        for name in places:
            rows: Any = self.data
            for part in name.split(".") if name else ():
                rows = table(self.file, rows, part)
            for row in rows:
                if name == "weights.lessons" and row in bare:
                    require_lesson(f"{self.file}: [{name}]", row, lessons, bare)
                require_place(self.file, name, two_digits(row), places)

    def require_lessons(self, known, bare: Iterable[str] = ()) -> None:
        """Refuse what is said of a lesson that is not there, or that has nothing to grade."""
        late.require_lessons(f"{self.file}: [late]", self.late, known, bare)

    def factors(self, lessons: dict[str, list[str]]) -> dict[str, float]:
        """{exercise: weight} for {lesson: exercises}."""
        return weights(f"{self.file}: [weights]", self.weights, lessons)


def read(file: Path) -> Klass:
    data = everywhere(file, toml(file, REMEDY))
    _refuse_weights_alone(file, data)
    seconds = data.get("seconds_per_learner", SECONDS)
    return Klass(
        file,
        lesson_names(file, data["lessons"]) if "lessons" in data else (),
        table(file, data, "weights"),
        _roster(file, table(file, data, "roster")),
        late.late(f"{file}: [late]", table(file, data, "late")),
        number(file, "seconds_per_learner", seconds, "it", MOST_SECONDS, 1),
        _folder(file, data),
        data,
    )


def lesson_names(where: object, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(map(is_name, value)):
        raise BadFile(f'{where}: lessons = {value!r}, but it is a list: ["04", "05"].')
    if not value:
        raise BadFile(f"{where}: lessons = [] grades nothing: name some, or leave the line out.")
    return tuple(numbers(value))


def _refuse_weights_alone(file: Path, data: dict) -> None:
    """What --weights took in earlier versions."""
    if isinstance(data.get("lessons"), dict) or {"exercises", "other"} & set(data):
        raise BadFile(
            f"{file} is a file of weights alone: write [weights] above `other`, and "
            "[weights.lessons] and [weights.exercises] for its tables."
        )


def _roster(file: Path, rows: dict) -> Path | None:
    return place(f"{file}: [roster]", file, "file", rows["file"]) if "file" in rows else None


def _folder(file: Path, data: dict) -> Path | None:
    if "private" not in data:
        return None
    found = place(file, file, "private", data["private"])
    if not found.is_dir():
        raise BadFile(
            f"{file}: private = {data['private']!r}, but {found} is no folder: name the one that "
            "holds your exercises."
        )
    return found
