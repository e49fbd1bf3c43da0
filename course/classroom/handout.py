"""What the course hands out: its exercise notebooks, each with a name, a set-up cell and stubs.

A teacher's own folder hands out in the same way.
"""

import re
from dataclasses import dataclass, field
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
    titles: dict[str, str] = field(default_factory=dict)  # of the lesson and of its exercises

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
    number = path.name[:2]
    titles = {number: _heading(found.cells[0], rf"{number}\s+")} if found.cells else {}
    titles |= {cell.exercise: _heading(cell) for cell in found.cells if cell.role == "card"}
    return Handout(number, path.stem, answers.setup_of(found), stubs, home, titles)


def _heading(cell, number=""):
    """What a cell's first line calls it; "" of one that begins with no heading."""
    line = cell.source.lstrip().partition("\n")[0]
    found = re.fullmatch(rf"#+\s+{number}(\S.*?)(: exercises)?\s*", line)
    return found[1] if found and cell.kind == "markdown" else ""
