"""What the course hands out: its exercise notebooks, each with a name, a set-up cell and stubs.

A teacher's own folder hands out in the same way.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.classroom import answers, notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = "[0-9][0-9]_*.ipynb"


@dataclass(frozen=True)
class Handout:
    """The exercise notebook of one lesson."""

    lesson: str  # "04"
    stem: str  # "04_which_is_freed"
    setup: str
    stubs: dict[str, str]  # {exercise: source}, in order
    home: Path = ROOT  # what holds its exercises/ and solutions/

    @property
    def file(self):
        return f"{self.stem}.ipynb"


@cache
def handouts(root=ROOT, private=None):
    """{lesson: Handout} of all exercise notebooks of the course, and of a teacher's, in order."""
    homes = [home for home in (root, private) if home]
    found = [(home, path) for home in homes for path in (home / "exercises").glob(NOTEBOOKS)]
    return {path.name[:2]: _handout(home, path) for home, path in sorted(found, key=_number)}


def _number(pair):
    return pair[1].name


def _handout(home, path):
    found = notebook.read(path.read_bytes(), path.name)
    stubs = {cell.exercise: cell.source for cell in found.code if cell.role == "answer"}
    return Handout(path.name[:2], path.stem, answers.setup_of(found), stubs, home)
