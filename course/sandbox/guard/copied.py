"""Whether texts that a learner's code compiles are the engine's own, which `inspect` shows.

A second engine, made of the text of the first, makes tensors of which no observer hears. Lines are
compared, not files: without comments, spaces and what texts in quotes say, and wherever a line is
broken. A long line is known by its shape, too, which is the line with all names alike.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from keyword import iskeyword
from pathlib import Path
from unicodedata import normalize

import numpy as np

from course.sandbox.guard import exact
from course.sandbox.guard.asker import OURS, ROOT, is_of
from course.trying.witness import unpeaked

MANY = 10  # lines, of a whole run; all of Python's `ast.py` has nine such, by chance
LETTERS = 25  # a shorter line stands anywhere
WORDS = 18  # so many words and signs make a shape
RUNS_OURS = "runs {} lines of the engine's own text"
ENCODED = "runs a text in an encoding that hides what it says"
PLAIN = {"utf-8", "utf8", "ascii", "us-ascii", "latin-1", "iso-8859-1", "iso-8859-15", "cp1252"}
TOKEN = re.compile(
    r"""(?P<quoted>[rRbBuUfF]{0,2}(?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    r"""|(?P<nothing>\#[^\n]*|\\\n|[^\S\n]+)|(?P<word>\w+)|(?P<end>[\n;])|(?P<sign>[\s\S])"""
)
COOKIE = re.compile(r"(?:[^\n]*\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
CARETS = "_extract_caret_anchors_from_line_segment"  # of traceback: it parses a line, and marks it
PLACES = os.__file__, os.path.dirname(np.__file__), os.path.join(ROOT, "course")
LIBRARIES = tuple(os.path.join(os.path.realpath(os.path.dirname(one)), "") for one in PLACES)


@functools.cache
def _files():
    """Those of all modules of ours that are there now."""
    modules = [module for name, module in list(sys.modules.items()) if is_of(name, OURS)]
    files = [file for module in modules if (file := getattr(module, "__file__", None))]
    return frozenset(map(os.path.realpath, files))


@functools.cache
def known():
    """The numbers of all of their lines."""
    texts = [Path(file).read_text("utf-8") for file in _files()]
    return frozenset(number for text in texts for pair in marks(text) for number in pair)


def marks(text):
    """For each line that is long enough a number for what it says, and one for its shape, too."""
    for words, shape in _lines(_plain(text)):
        line = " ".join(words)
        if words[0] not in ("import", "from") and len(line) - len(words) >= LETTERS:
            says, looks = hash(line), hash(" ".join(shape))
            yield (says, looks) if len(shape) >= WORDS else (says,)


def found_in(text):
    """The first number of ours of each line that has one."""
    there = known()
    return {found[0] for pair in marks(text) if (found := [n for n in pair if n in there])}


def _plain(text):
    """As Python reads it: a name may be written with other letters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() else normalize("NFKC", text)


def _lines(text):
    """(words, shape) of each line, which goes on where Python says that it does."""
    depth = 0
    words: list[str] = []
    shape: list[str] = []
    for found in TOKEN.finditer(text):
        kind, token = found.lastgroup, found.group()
        if kind == "nothing":
            continue
        if kind == "end":
            if words and (token == ";" or depth <= 0):
                yield words, shape
                words, shape = [], []
            continue
        depth += DEPTH.get(token, 0)
        words.append("''" if kind == "quoted" else token)
        is_name = kind == "word" and not iskeyword(token)
        shape.append("a" if is_name else words[-1])
    if words:
        yield words, shape


class Compiled:
    """What the learner's code of one process has compiled so far."""

    def __init__(self, asker):
        self._asker = asker
        known()  # before a learner may hide a file
        self._found: set = set()
        self._told = False

    def look_at(self, source, file, frame):
        """A text, in bytes or not, that is compiled or parsed there; a tree was parsed before."""
        source = exact.path(source)
        if type(source) not in (str, bytes) or len(source) < LETTERS or self._told:
            return
        if self._marks_a_line(frame) or self._asker.stranger(frame, name="compile") is None:
            return
        with unpeaked():
            text = source if type(source) is str else source.decode("utf-8", "replace")
            cookie = COOKIE.match(text)
            found = found_in(text)
        if cookie and cookie[1].lower().replace("_", "-") not in PLAIN:
            self._asker.see(ENCODED, frame, name="compile")
        if found and not self._imports_a_library(source, file, frame):
            self._count(found, frame)

    def _count(self, found, frame):
        self._found |= found
        if len(self._found) >= MANY:
            self._asker.see(RUNS_OURS.format(len(self._found)), frame, name="compile")
            self._told = True

    def _marks_a_line(self, frame):
        """Whether a traceback shows which part of a line failed."""
        above = self._asker.caller_of(frame)
        is_tracebacks = above is not None and self._asker.library(above) == "traceback"
        return is_tracebacks and above.f_code.co_name == CARETS

    def _imports_a_library(self, source, file, frame):
        """Whether Python imports a module, as it lies on the disk, that was not there before."""
        if not self._asker.imports(frame) or not exact.is_a(file, str):
            return False
        name = os.path.realpath(exact.text(file))
        return name.startswith(LIBRARIES) and name not in _files() and _lies_there(name, source)


def _lies_there(name, source):
    try:
        with open(name, "rb") as file:
            return file.read() == source
    except OSError:
        return False
