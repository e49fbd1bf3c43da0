"""Where in the program's own code something happens: its file, line and function.

Lines of one file, the one that is recorded, are the lines of a trace. What runs in other files and
functions has a place beside.
"""

from __future__ import annotations

import functools
import os
import re
import sysconfig

from whoholds.frames import ours

LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
CELL = re.compile(r"[\\/]ipykernel_\d+[\\/]\d+\.py$|^<ipython-input-")
PACKAGES = re.compile(r"[\\/](site|dist)-packages[\\/]")  # the user's and the system's, too


@functools.cache
def library(file: str) -> bool:
    """Is it a file that is not the program's own: of a library, of Python, or one that watches?"""
    inside = file.startswith((*LIBRARIES, "<frozen")) or PACKAGES.search(file) is not None
    return inside or ours(file)


def is_cell(file: str) -> bool:
    """Is it a cell of a notebook?"""
    return CELL.search(file) is not None


def file_name(file: str) -> str:
    """`train.py`, or `a cell` where a number is all that a notebook gives a cell for a name."""
    return "a cell" if is_cell(file) else os.path.basename(file)


def said(place) -> str:
    """`train.py:41 in step` for [file, line, function]."""
    file, line, function = place
    inside = "" if function == "<module>" else f" in {function}"
    return f"{file_name(file)}:{line}{inside}"


class Places:
    """`rows` are the places met so far, each [file, line, function]; the first is the main file.

    `main` is the file that is recorded; `inside(file)` says which files are not the program's own.
    """

    def __init__(self, main: str, inside=library):
        self.main, self.others = main, functools.cache(inside)
        self.rows: list = [[main, 0, ""]]
        self.numbers: dict = {}

    def of(self, frame):
        """The innermost frame of the program, and the innermost one of the main file, or None."""
        others, main = self.others, self.main
        while frame is not None and others(frame.f_code.co_filename):
            frame = frame.f_back
        inner = frame
        while frame is not None and frame.f_code.co_filename != main:
            frame = frame.f_back
        return inner, frame

    def number(self, frame) -> int:
        """The row of the place that a frame is at; 0 if there is no frame."""
        if frame is None:
            return 0
        key = frame.f_code, frame.f_lineno
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.rows)
            self.rows.append([frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name])
        return found
