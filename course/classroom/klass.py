"""How a teacher wants a class graded: one class.toml (docs/class.toml.md), read and checked.

Knows what the keys are; what lessons and learners there are is checked by those who know them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.classroom import late
from course.classroom.tables import BadFile, number, place, require_known, table, toml
from course.classroom.weights import TABLES, weights

KEYS = ("lessons", "weights", "roster", "late", "seconds_per_learner", "private")
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

    def require_lessons(self, known) -> None:
        """Refuse what is said of a lesson that the course does not have."""
        late.require_lessons(f"{self.file}: [late]", self.late, known)

    def factors(self, lessons: dict[str, list[str]]) -> dict[str, float]:
        """{exercise: weight} for {lesson: exercises}."""
        return weights(f"{self.file}: [weights]", self.weights, lessons)


def read(file: Path) -> Klass:
    data = toml(file)
    _refuse_weights_alone(file, data)
    for name in data:
        require_known(file, name, KEYS)
    seconds = data.get("seconds_per_learner", SECONDS)
    return Klass(
        file,
        lesson_names(file, data.get("lessons", [])),
        table(f"{file}: [weights]", {"weights": table(file, data, "weights")}, "weights", TABLES),
        _roster(file, table(file, data, "roster")),
        late.late(f"{file}: [late]", table(file, data, "late")),
        number(file, "seconds_per_learner", seconds, "it", MOST_SECONDS, 1),
        _folder(file, data),
    )


def lesson_names(where: object, value: object) -> tuple[str, ...]:
    fine = isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not fine:
        raise BadFile(f'{where}: lessons = {value!r}, but it is a list: ["04", "05"].')
    names = [name.zfill(2) for name in value]  # type: ignore[attr-defined]
    return tuple(dict.fromkeys(names))


def _refuse_weights_alone(file: Path, data: dict) -> None:
    """What --weights took in earlier versions."""
    if isinstance(data.get("lessons"), dict) or {"exercises", "other"} & set(data):
        raise BadFile(
            f"{file} is a file of weights alone: write [weights] above `other`, and "
            "[weights.lessons] and [weights.exercises] for its tables."
        )


def _roster(file: Path, rows: dict) -> Path | None:
    where = f"{file}: [roster]"
    for row in rows:
        require_known(where, row, ("file",))
    return place(where, file, "file", rows["file"]) if rows else None


def _folder(file: Path, data: dict) -> Path | None:
    if "private" not in data:
        return None
    found = place(file, file, "private", data["private"])
    if not found.is_dir():
        raise BadFile(f"{file}: private = {data['private']!r}, but {found} is no folder.")
    return found
