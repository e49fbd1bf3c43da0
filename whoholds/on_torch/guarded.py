"""No error of a recorder reaches the program, and only the thread that began it is followed."""

from __future__ import annotations

import os
import threading
import traceback

import torch

from whoholds.events import STOPPED


class Guarded:
    """`guarded(call, ...)` runs what a recorder does; where that fails, following ends."""

    def __init__(self):
        self.broken = False
        self.home = threading.get_ident(), os.getpid()

    def guarded(self, call, *args):
        """What `call` gives; None where following has ended, or where this is not our thread."""
        if self.broken or self.home != (threading.get_ident(), os.getpid()):
            return None
        try:
            with torch._C.DisableTorchFunction():  # no class or mode of the program's is asked
                return call(*args)
        except Exception as problem:
            self.broken = True
            self.lose(f"{STOPPED}: {why(problem)}")
            return None

    def lose(self, text) -> None:
        """Tell what is no longer followed."""
        raise NotImplementedError


def why(problem) -> str:
    """`RuntimeError: no shape (notes.py:140)`, the first line of it"""
    where = traceback.extract_tb(problem.__traceback__)[-1]
    said = f"{type(problem).__name__}: {problem}".partition("\n")[0]
    return f"{said} ({os.path.basename(where.filename)}:{where.lineno})"
