"""The course's own planted answers, `tests/answers/NN_topic.py` (course/build/planted.py)."""

from pathlib import Path

from course.build import planted
from course.build.planted import KINDS, Answer

FOLDER = Path(__file__).resolve().parents[1] / "answers"


def answers(lesson):
    """The answers planted for a lesson, "04"."""
    paths = sorted(FOLDER.glob(f"{lesson}_*.py"))
    return [one for path in paths for one in planted.read(path, lesson)]


__all__ = ["KINDS", "Answer", "answers"]
