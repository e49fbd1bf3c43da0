"""Which calls are running, and which of them only watch."""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import Any

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
SEAMS = os.path.join("minigrad", "measure", "")  # where minigrad lets itself be watched
# Is it a file of those that watch?
ours = functools.cache(lambda file: file.startswith(HERE) or SEAMS in file)


def caller():
    """The frame of the program that called this package."""
    frame: Any = sys._getframe(1)
    while ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


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
