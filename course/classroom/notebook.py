"""A learner's notebook file, read as data: its cells, or one sentence that says why not.

Knows JSON and nothing of nbformat, so that a file another tool would refuse can still be graded;
whatever the bytes hold, the answer is a Notebook or Unreadable. Outputs are left behind.
"""

import json
import re
from dataclasses import dataclass

LARGEST = 32 * 2**20  # bytes of a file
MOST_CELLS = 2000
LONGEST_CELL = 100_000  # characters
LONGEST = 200_000  # characters of all cells
CLEAR = "in JupyterLab choose Edit > Clear Outputs of All Cells, save, and hand it in again"
AGAIN = "open it in JupyterLab, save it, and hand it in again"


class Unreadable(Exception):
    """Not a notebook that can be graded; the text is one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`number` is what Jupyter shows after "Restart and run all"; 0 where nothing runs."""

    kind: str  # "code", "markdown" or "raw"
    source: str
    exercise: str = ""
    role: str = ""
    number: int = 0

    @property
    def name(self):
        return f"cell {self.number}"


@dataclass(frozen=True)
class Notebook:
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def code(self):
        """The cells that run, in order."""
        return [cell for cell in self.cells if cell.number]


def read(data, name):
    """The notebook in these bytes; `name` is the file's, for the sentences."""
    tree = _parsed(_text(data, name), name)
    found = tree.get("cells") if isinstance(tree, dict) else None
    if not isinstance(found, list):
        raise Unreadable(f"{name} {_what_else(tree)}")
    if len(found) > MOST_CELLS:
        raise Unreadable(f"{name} has {len(found)} cells, more than {MOST_CELLS}: delete the rest")
    cells = _numbered([_cell(value) for value in found if isinstance(value, dict)])
    _require_short(cells, name)
    lost = len(found) - len(cells)
    return Notebook(tuple(cells), (f"{name}: {lost} broken cells left out",) if lost else ())


# --- from bytes to JSON --------------------------------------------------------------------


def _text(data, name):
    if len(data) > LARGEST:
        raise Unreadable(f"{name} is larger than {LARGEST // 2**20} MB: {CLEAR}")
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        raise Unreadable(f"{name} is not text in UTF-8: {AGAIN}") from None
    if not text.strip(" \t\r\n\0"):
        raise Unreadable(f"{name}: the file is empty; {AGAIN}")
    return text


def _parsed(text, name):
    try:
        return json.loads(text)
    except RecursionError:
        why = "it is nested too deeply"
    except ValueError as error:
        why = _reason(text, error)
    raise Unreadable(f"{name} is not valid JSON: {why}")


def _reason(text, error):
    """What happened to the file, where its text tells."""
    conflict = re.search(r"^(<{7} |={7}$|>{7} )", text, re.MULTILINE)
    if conflict:
        line = text.count("\n", 0, conflict.start()) + 1
        return f"line {line} is the mark of a git merge conflict; keep one version and save"
    if text.lstrip()[:1] == "<":
        return "it is a web page; download the notebook itself"
    if text.lstrip()[:1] != "{":
        return f"it does not begin with a brace; {AGAIN}"
    if getattr(error, "pos", 0) >= len(text.rstrip()) or "Unterminated" in str(error):
        return f"it ends too early and may have been cut off while saving; {AGAIN}"
    place = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
    return f"{place}{_short(error)}; {AGAIN}"


def _short(error):
    return str(getattr(error, "msg", error)).partition(";")[0][:80]


def _what_else(tree):
    """The end of a sentence about JSON that holds no list of cells."""
    if isinstance(tree, dict) and isinstance(tree.get("worksheets"), list):
        return f"is a notebook of the old format 3: {AGAIN}"
    return "is JSON, but not a notebook: hand in the .ipynb file of the exercises"


# --- from JSON to cells --------------------------------------------------------------------


def _cell(value):
    """A cell, whatever is in it; what is not text counts as none."""
    metadata = value.get("metadata")
    mark = metadata.get("minigrad") if isinstance(metadata, dict) else None
    mark = mark if isinstance(mark, dict) else {}
    kind = value.get("cell_type")
    return Cell(
        kind if kind in ("code", "markdown") else "raw",
        _source(value.get("source")),
        _identifier(mark.get("exercise")),
        _identifier(mark.get("role")),
    )


def _source(value):
    """The text of a cell with "\\n" at its line ends and nothing that UTF-8 cannot hold."""
    rows = value if isinstance(value, list) else [value]
    text = "".join(row for row in rows if isinstance(row, str))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode()


def _identifier(value):
    return value if isinstance(value, str) and value.isidentifier() and len(value) < 100 else ""


def _numbered(cells):
    """The same with the numbers that Jupyter would give them; it skips blank cells."""
    numbered: list = []
    count = 0
    for cell in cells:
        runs = cell.kind == "code" and bool(cell.source.strip())
        count += runs
        numbered.append(Cell(cell.kind, cell.source, cell.exercise, cell.role, count * runs))
    return numbered


def _require_short(cells, name):
    code = [cell for cell in cells if cell.number]
    for cell in code:
        if len(cell.source) > LONGEST_CELL:
            raise Unreadable(
                f"{name}: {cell.name} has {len(cell.source)} characters, more than "
                f"{LONGEST_CELL}: shorten it"
            )
    if sum(len(cell.source) for cell in code) > LONGEST:
        raise Unreadable(f"{name} has more than {LONGEST} characters of code: delete what is extra")
