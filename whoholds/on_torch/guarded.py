"""No error of a recorder reaches the program, and only the thread that began it is followed."""

from __future__ import annotations

import os
import threading
import traceback


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
            return call(*args)
        except Exception as problem:
            self.broken = True
            where = traceback.extract_tb(problem.__traceback__)[-1]
            self.lose(f"not followed from here on: {type(problem).__name__}: {problem} "
                      f"({os.path.basename(where.filename)}:{where.lineno})")  # fmt: skip
            return None

    def lose(self, text) -> None:
        """Tell what is no longer followed."""
        raise NotImplementedError
