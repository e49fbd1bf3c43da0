"""A lesson is a text file: cells with keys, each of which knows its line.

Reads and types what one cell says about itself; how cells must fit together is `rules.py`'s
business, and what becomes of them is `products.py`'s.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import jupytext

KEYS = {
    "at": str,
    "card": str,
    "check": str,
    "difficulty": int,
    "exercise": str,
    "hint": str,
    "kind": str,
    "measured": str,
    "minutes": int,
    "raises": str,
    "solo": str,
    "twin": bool,
    "why": str,
}
HOW_TO_WRITE = {str: 'key="text"', int: "key=3", bool: "key=true"}
IDS = ("at", "card", "check", "exercise", "hint", "why")  # keys whose value is an id
PAGES = (
    "playground",
    "threads",
)  # sources that are no lessons; by name, for another file may be anybody's
FILE_NAME = re.compile(rf"(\d\d)_[a-z0-9_]+\.py|({'|'.join(PAGES)})\.py")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
MARKER = re.compile(r"\s*#\s*%%(?![a-z])")  # `# %%step` is a magic of its cell
HEADING = re.compile(r"## ")


class SourceError(ValueError):
    """A lesson source that cannot be built; the text is `file:line: one sentence`."""

    def __init__(self, file, line, sentence):
        super().__init__(f"{file}:{line}: {sentence}")


@dataclass(frozen=True)
class Cell:
    """One cell of the source; `line` is its marker's line, `first` that of its first text."""

    kind: str  # "code" or "markdown"
    source: str
    keys: dict
    line: int
    first: int
    section: int = 0

    @property
    def exercise(self):
        """The id of the exercise this cell belongs to, or None for a cell of the lesson."""
        for key in ("exercise", "check", "card", "hint", "why"):
            if key in self.keys:
                return self.keys[key]
        return None


@dataclass(frozen=True)
class Lesson:
    """A lesson, or a page beside the lessons, as its author wrote it."""

    file: str  # as shown in messages: lessons/04_freed.py
    number: str  # what a command calls it; a page goes by its name
    name: str  # 04_freed
    title: str  # Which is freed, which is not
    cells: list = field(default_factory=list)
    outline: Any = field(default=None, compare=False, repr=False)  # of all lessons, by `load`

    @property
    def is_page(self):
        """A page has no number, no minutes, no twins, no exercises; it is built and proved."""
        return self.name in PAGES

    @property
    def setup(self):
        """The first code cell, which every section may rely on."""
        return next(cell for cell in self.cells if cell.kind == "code")

    @property
    def shown(self):
        """The cells of the lesson notebook: all that belong to no exercise."""
        return [cell for cell in self.cells if cell.exercise is None]

    @property
    def demos(self):
        """The code cells of the lesson notebook, in order, the set-up cell first."""
        return [cell for cell in self.shown if cell.kind == "code"]

    def of(self, key, id):
        """The cells that carry `key="id"`."""
        return [cell for cell in self.cells if cell.keys.get(key) == id]


def read_lesson(path):
    """Read one lesson file, or raise a SourceError that says where and what to do."""
    path = Path(path)
    file = f"{path.parent.name}/{path.name}"
    match = FILE_NAME.fullmatch(path.name)
    if not match:
        raise SourceError(file, 1, "a lesson file is named NN_topic.py, such as 04_freed.py")
    cells = _cells(file, _text(path, file))
    return Lesson(file, number_of(path), path.stem, _title(file, cells[0], match[1] or ""), cells)


def number_of(path):
    """What a command calls the source at `path`, or the product made from it: 04, playground."""
    return path.stem if path.stem in PAGES else path.name[:2]


def _text(path, file):
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(file, 1, f"not UTF-8 text ({error.reason}); save it as UTF-8") from None
    if not text.strip():
        raise SourceError(file, 1, "the file is empty; begin with '# %% [markdown]' and a title")
    return text


def _cells(file, text):
    lines = text.splitlines()
    markers = [number for number, line in enumerate(lines, 1) if MARKER.match(line)]
    start = next(number for number, line in enumerate(lines, 1) if line.strip())
    if markers[:1] != [start]:
        raise SourceError(file, start, "text before the first cell; begin with '# %% [markdown]'")
    raw = written(text)
    if len(raw) != len(markers):
        raise SourceError(
            file,
            start,
            "a line in a string or comment looks like a cell marker; "
            "only cells may begin with '# %%'",
        )
    section, cells = 0, []
    for line, cell in zip(markers, raw, strict=True):
        section += _opens_section(file, line, cell)
        cells.append(_cell(file, line, cell, lines[line - 1], section))
    return cells


@lru_cache(100)  # all lessons and answers: what reads one lesson reads its neighbours, too
def written(text):
    """The cells of a source as jupytext reads them, to be read only."""
    return tuple(jupytext.reads(text, fmt="py:percent").cells)


def _cell(file, line, raw, marker, section):
    if raw.cell_type not in ("code", "markdown"):
        raise SourceError(file, line, f"a {raw.cell_type} cell; write '# %%' or '# %% [markdown]'")
    if not raw.source.strip():
        raise SourceError(file, line, "the cell is empty; delete its marker")
    blank = len(raw.source) - len(raw.source.lstrip("\n"))
    keys = _keys(file, line, raw.metadata, marker)
    return Cell(raw.cell_type, raw.source.strip("\n"), keys, line, line + 1 + blank, section)


def _keys(file, line, metadata, marker):
    bad = metadata.get("incorrectly_encoded_metadata")
    if bad:
        raise SourceError(
            file, line, f"cannot read the keys '{bad}'; write key=\"text\", key=true or key=3"
        )
    if metadata.get("title"):
        raise SourceError(file, line, f"'{metadata['title']}' is not a key; {_known()}")
    ours = {k: v for k, v in metadata.items() if k not in ("lines_to_next_cell", "cell_marker")}
    for key, value in ours.items():
        _one_key(file, line, key, value)
    written = re.findall(r"(\w+)=", re.sub(r'"(\\.|[^"\\])*"', "", marker))
    for key in written:
        if written.count(key) > 1:
            raise SourceError(file, line, f"the key '{key}' is written twice")
    return ours


def _one_key(file, line, key, value):
    if key not in KEYS:
        raise SourceError(file, line, f"unknown key '{key}'; {_known()}")
    kind = KEYS[key]
    if type(value) is not kind or value in ("", False):
        how = HOW_TO_WRITE[kind].replace("key", key)
        raise SourceError(file, line, f"the key '{key}' is written {how} or left out")
    if key in IDS and not ID.fullmatch(str(value)):
        raise SourceError(file, line, f"the id '{value}' may hold letters, digits, '_', '.', '-'")


def _known():
    return "known keys: " + ", ".join(KEYS)


def _title(file, cell, number):
    head = f"# {number}  " if number else "# "
    pattern = head.rstrip() + r"\s+(\S.*)"
    match = re.match(pattern, cell.source) if cell.kind == "markdown" else None
    if not match:
        raise SourceError(file, cell.line, f"the first cell is the title, '{head}Title'")
    return match[1].strip()


def _opens_section(file, line, raw):
    if raw.cell_type != "markdown":
        return False
    fenced = False
    text = raw.source.lstrip("\n")
    for offset, row in enumerate(text.splitlines()):
        fenced ^= row.lstrip().startswith("```")
        if offset and not fenced and HEADING.match(row):
            raise SourceError(
                file,
                line,
                f"'{row}' must be the first line of its cell; put '# %% [markdown]' before it",
            )
    return bool(HEADING.match(text))
