"""Whose code is running: the engine's, or that of the program that called it."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
inside = functools.cache(lambda file: file.startswith(HERE))  # is it one of minigrad's?


def caller():
    """The frame of the program that called minigrad."""
    frame: Any = sys._getframe(1)
    while inside(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
