"""Which calls are running, and which of them only watch."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from typing import Any

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
# Is it a file of those that watch?
ours = functools.cache(lambda file: file.startswith(HERE))


def caller():
    """The frame of the program that called this package."""
    frame: Any = sys._getframe(1)
    while ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def variables(frame) -> list:
    """(name, value) of the variables of a call, of a class body or of a file."""
    values = frame.f_locals
    found = list(values.items())
    let_go(frame, values)
    return found


def variable(frame, name):
    """One variable of a call."""
    values = frame.f_locals
    found = values[name]
    let_go(frame, values)
    return found


def let_go(frame, values) -> None:
    """Empty what `frame.f_locals` gave: up to Python 3.12 a copy that the frame of a call keeps."""
    if isinstance(values, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        values.clear()


def of_file(frame) -> bool:
    """Does it run the lines of a file, whose variables are the globals? Asked without a copy."""
    in_call = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    return not in_call and frame.f_locals is frame.f_globals


def no_error(ended) -> bool:
    """Whether what ended a program, if anything, is no error: `sys.exit()` and `sys.exit(0)`."""
    return ended is None or isinstance(ended, SystemExit) and ended.code in (None, 0)


def chain(frame) -> dict:
    """The calls that are still running: the code of each, by the address of its frame."""
    found = {}
    while frame is not None:
        found[id(frame)] = frame.f_code
        frame = frame.f_back
    return found


def without_ours(entry):
    """A traceback without the frames of those that watch."""
    entries = []
    while entry:
        if not ours(entry.tb_frame.f_code.co_filename):
            entries.append(entry)
        entry = entry.tb_next
    rest: Any = None
    for one in reversed(entries):
        rest = types.TracebackType(rest, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return rest
