"""What the course hands out: its exercise notebooks, each with a name, a set-up cell and stubs."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.classroom import answers, notebook

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Handout:
    """The exercise notebook of one lesson."""

    lesson: str  # "04"
    stem: str  # "04_which_is_freed"
    setup: str
    stubs: dict[str, str]  # {exercise: source}, in order

    @property
    def file(self):
        return f"{self.stem}.ipynb"


@cache
def handouts(root=ROOT):
    """{lesson: Handout} of all exercise notebooks of the course, in order."""
    paths = sorted((root / "exercises").glob("[0-9][0-9]_*.ipynb"))
    return {path.name[:2]: _handout(path) for path in paths}


def _handout(path):
    found = notebook.read(path.read_bytes(), path.name)
    stubs = {cell.exercise: cell.source for cell in found.code if cell.role == "answer"}
    return Handout(path.name[:2], path.stem, answers.setup_of(found), stubs)
