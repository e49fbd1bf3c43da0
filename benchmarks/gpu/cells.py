"""The code cells of a lesson's source, and a run of them, with the standard library alone.

A cell begins at a line `# %%`, and its keys stand behind it: `# %% at="14.pool"`. Cells of
exercises, and text, are left out. `%%step` cells run as plain programs in names of their own, and
`import torch` in them means minigrad, as in the lesson.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARKER = re.compile(r"^# %%(?![a-z])(.*)$", re.MULTILINE)
STEP = re.compile(r"^# %%step.*$", re.MULTILINE)
LEFT_OUT = "[markdown]", "exercise=", "check=", "card=", "hint=", "why="


@dataclass(frozen=True)
class Cell:
    """`name` is its key `at`, or the number of its line."""

    name: str
    source: str

    @property
    def is_stepped(self) -> bool:
        return STEP.search(self.source) is not None


def cells(path: Path) -> Iterator[Cell]:
    text = path.read_text("utf-8")
    markers = list(MARKER.finditer(text))
    ends = [marker.start() for marker in markers[1:]] + [len(text)]
    for marker, end in zip(markers, ends, strict=True):
        if not any(word in marker[1] for word in LEFT_OUT):
            at = re.search(r'at="([^"]*)"', marker[1])
            line = text.count("\n", 0, marker.start()) + 1
            yield Cell(at[1] if at else f"line {line}", text[marker.end() : end])


def run(cell: Cell, names: dict) -> str:
    """What the cell prints, and what its last expression shows."""
    source = cell.source
    if cell.is_stepped:
        source = STEP.sub("", source).replace("import torch", "import minigrad as torch")
        names = {"__name__": "__main__"}
    body = ast.parse(source).body
    last = body.pop().value if isinstance(body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), cell.name, "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last), cell.name, "eval"), names)
            if shown is not None:
                print(repr(shown))
    return printed.getvalue()
