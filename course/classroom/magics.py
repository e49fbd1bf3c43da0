"""IPython's own syntax becomes nothing: a cell as plain Python, line for line.

The grader has no IPython to be patched. A magic, a shell line or a `name?` does nothing there;
`%%time`, the course's `%%step` and their like keep the Python below them. Rows keep their numbers.
"""

import ast
import re
import symtable
import textwrap
import warnings
from contextlib import contextmanager

RUNS_PYTHON = {"%%time", "%%timeit", "%%capture", "%%prun", "%%memit", "%%step"}
TIMED = re.compile(r"(\s*)%time\s+(?!-)(.*)")  # `%time x = f()` binds x
ASSIGNED = re.compile(r"(\s*[^\W\d][\w, ]*=\s*)(!|%)(?!=).*")
SPECIAL = re.compile(r"\s*([%!?]|,\w|;\w)|[^#'\"]*\?\??\s*$")
INSTALL = re.compile(r"\s*(pip|pip3|conda|mamba) +\w+(?! *=)")  # works without a % in Jupyter
PIECE = re.compile(
    r"(?P<long>\"\"\"|''')|(?P<short>'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?)|(?P<note>#.*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
)
BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)  # what ast.parse may raise


class NotPython(Exception):
    """The text is one sentence without its place; `line` is a number of the cell's or None."""

    def __init__(self, sentence, line=None):
        super().__init__(sentence)
        self.line = line


def parse(source):
    """(the cell in plain Python, its syntax tree); raises NotPython."""
    try:
        return source, _tree(source)
    except BROKEN as error:
        last = error
    for plain in _candidates(source):
        try:
            return plain, _tree(plain)
        except BROKEN as error:
            last = error
    raise NotPython(*_reason(last, source))


@contextmanager
def quiet():
    """An invalid escape in a string is the learner's business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _tree(source):
    with quiet():
        symtable.symtable(source, "cell", "exec")  # finds what is wrong with scopes, too
        return ast.parse(source)


def _candidates(source):
    """What Jupyter would have made of it: without magics, then also without an indent."""
    plain = without_magics(source)
    yield plain
    if plain[:1].isspace():
        yield textwrap.dedent(plain)


def without_magics(source):
    """The same rows, with IPython's replaced by ones that do nothing."""
    rows = source.split("\n")
    first = next((at for at, row in enumerate(rows) if row.strip()), 0)
    if rows[first].startswith("%%"):
        if rows[first].split()[0] not in RUNS_PYTHON:
            return "\n" * (len(rows) - 1)
        rows[first] = ""
    return "\n".join(_plain_rows(rows))


def _plain_rows(rows):
    scan, shell = _Scan(), False
    for row in rows:
        if shell:
            row, shell = "", row.endswith("\\")
        elif scan.between:
            shell = _is_special(row) and row.endswith("\\")
            row = _replaced(row)
        scan.feed(row)
        yield row


def _is_special(row):
    return bool(ASSIGNED.match(row) or SPECIAL.match(row) or INSTALL.match(row))


def _replaced(row):
    """One row that begins a statement."""
    if timed := TIMED.fullmatch(row):
        return timed[1] + timed[2]
    if assigned := ASSIGNED.match(row):
        return assigned[1] + "None"
    if SPECIAL.match(row) or INSTALL.match(row):
        return row[: len(row) - len(row.lstrip())] + "pass"
    return row


class _Scan:
    """Whether the next row begins a statement: no bracket, string or backslash is open."""

    def __init__(self):
        self.depth, self.quote, self.joined = 0, "", False

    @property
    def between(self):
        return not (self.depth or self.quote or self.joined)

    def feed(self, row):
        at = 0
        while at < len(row):
            at = self._inside(row, at) if self.quote else self._outside(row, at)
        self.joined = row.endswith("\\") and not self.quote

    def _inside(self, row, at):
        end = row.find(self.quote, at)
        if end < 0:
            return len(row)
        self.quote = ""
        return end + 3

    def _outside(self, row, at):
        found = PIECE.search(row, at)
        if not found:
            return len(row)
        self.quote = found["long"] or ""
        self.depth = max(0, self.depth + bool(found["open"]) - bool(found["close"]))
        return found.end()


def _reason(error, source):
    """(why it is not Python, the number of the line or None)."""
    if isinstance(error, SyntaxError) and error.lineno:
        rows = source.split("\n")
        row = rows[error.lineno - 1].strip()[:80] if error.lineno <= len(rows) else ""
        code = f"`{row}` " if row else ""
        return f"{code}is not Python ({error.msg[:100]})", error.lineno
    if isinstance(error, (RecursionError, MemoryError)):
        return "is nested too deeply to be read", None
    return f"is not Python ({str(error)[:100]})", None
