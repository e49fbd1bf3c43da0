"""A door: one error or question as people type it, three lines of answer, programs that show it.

`doors/NAME.py` is text between `# %%` lines, as a lesson is. `# %% [markdown]` is prose; the other
cells are whole programs, each with its own `import torch`:

    # %% step   is stepped in a view, and may end in the error that the title quotes
    # %% way    is a way out; what it printed and what it cost stands below it
    # %% run    its output alone is what the page has to say

A line of the first cell that begins with `Also: ` has other words for the same thing, as older
versions of PyTorch said it or as people ask it; one with `Asked: ` has the ids of the questions in
`lessons/coverage.toml` that this door answers. Neither is a line of the answer. Refuses to know
what runs the programs, and what a page looks like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "doors"
KINDS = "[markdown]", "step", "way", "run"
ANSWER = 3  # lines of an answer
ALSO, ASKED = BESIDE = "Also: ", "Asked: "  # how the lines begin that are none of it


class DoorError(ValueError):
    """A source that is no door; the text is `file: one sentence`."""


@dataclass(frozen=True)
class Cell:
    """Its kind, of KINDS, and its text: prose, or a program."""

    kind: str
    text: str


@dataclass(frozen=True)
class Door:
    """`name` is the stable address: the file's, with hyphens."""

    name: str
    title: str
    cells: list

    @property
    def also(self) -> str:
        return self._beside(ALSO)

    @property
    def asked(self) -> list:
        """Ids of the threads' questions that it answers."""
        return self._beside(ASKED).split()

    def _beside(self, mark) -> str:
        rows = self.cells[0].text.splitlines()
        return " ".join(row.removeprefix(mark) for row in rows if row.startswith(mark))

    @property
    def programs(self):
        return [cell for cell in self.cells if cell.kind != "[markdown]"]


def read(path: Path) -> Door:
    cells = [_cell(path, part) for part in path.read_text("utf-8").split("# %% ")[1:]]
    head = cells[0].text.splitlines() if cells else [""]
    if not head[0].startswith("# ") or cells[0].kind != "[markdown]":
        raise DoorError(f"{path.name}: the first cell must be prose that begins with `# title`")
    answer = [line for line in head[1:] if line.strip() and not line.startswith(BESIDE)]
    if len(answer) != ANSWER:
        raise DoorError(f"{path.name}: {len(answer)} lines of answer stand below the title, not 3")
    return Door(path.stem.replace("_", "-"), head[0].removeprefix("# ").strip(), cells)


def _cell(path, part) -> Cell:
    kind, _, text = part.partition("\n")
    if kind.strip() not in KINDS:
        raise DoorError(f"{path.name}: `# %% {kind}` is none of {', '.join(KINDS)}")
    if kind.strip() == "[markdown]":
        text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
    return Cell(kind.strip(), text.strip("\n"))


def doors(folder: Path = FOLDER) -> list:
    """All of them, by name."""
    return [read(path) for path in sorted(folder.glob("*.py"))]
