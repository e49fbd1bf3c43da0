"""Whose code is running: the engine's, or that of the program that called it."""

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import sys
import types
import warnings
from typing import Any

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # minigrad/
# Is this file one of minigrad's? Its generated methods have no file: see generate.py.
inside = functools.cache(lambda file: file.startswith((HERE, "<minigrad ")))
# Of real frames and errors alone, whatever others say of themselves.
code_of = types.FrameType.__dict__["f_code"].__get__
variables_of = types.FrameType.__dict__["f_locals"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def caller():
    """The frame of the program that called minigrad; None if it has ended."""
    frame: Any = sys._getframe(1)
    while frame and inside(code_of(frame).co_filename):
        frame = frame.f_back
    return frame


def call_site() -> tuple:
    """(file, line) of the program that called minigrad."""
    frame = caller()
    return (code_of(frame).co_filename, frame.f_lineno) if frame else ("<unknown>", 0)


def warn(text, kind=UserWarning) -> None:
    """Warn of the program's line, from however deep inside of minigrad."""
    frame: Any = sys._getframe(1)
    depth = 2
    while frame and inside(code_of(frame).co_filename):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, kind, stacklevel=depth)


def quote(site) -> str:
    """That line with its number, or the number and the file's name if it cannot be read."""
    file, line = site
    text = linecache.getline(file, line).strip()
    return f"line {line}: `{text}`" if text else f"line {line} of {os.path.basename(file)}"


def entries_of(error: BaseException) -> list:
    """The entries of its traceback, the outermost first."""
    found, entry = [], _traceback_of(error)
    while entry is not None:
        found.append(entry)
        entry = entry.tb_next
    return found


def step_aside(error: BaseException) -> None:
    """Take minigrad's frames out of the way of an error that passes through the engine.

    Their variables go, or a kept traceback would keep gradients; and the frames go from the
    traceback, except where a rule itself failed: then they tell where.
    """
    entries = entries_of(error)
    ours = [inside(e.tb_frame.f_code.co_filename) for e in entries]
    for e, is_ours in zip(entries, ours, strict=True):
        if is_ours:
            with contextlib.suppress(RuntimeError):  # still running: it empties itself
                e.tb_frame.clear()
    if ours[-1] and not getattr(error, "__notes__", None):
        return
    rest = None
    for e, is_ours in reversed([*zip(entries, ours, strict=True)]):
        if not is_ours:
            rest = types.TracebackType(rest, e.tb_frame, e.tb_lasti, e.tb_lineno)
    error.__traceback__ = rest
