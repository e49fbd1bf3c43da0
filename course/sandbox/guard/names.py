"""`globals()`, `locals()` and `vars()` give the names of the Python frame that runs.

Called by a function written in C, which has no frame, that is one of ours or a library's. So the
builtins are others, that ask as a look into that frame does; of a library a learner gets a copy.
"""

from __future__ import annotations

import builtins
import sys
from inspect import CO_OPTIMIZED

from course.sandbox.guard.memory import in_place_of


def watch():
    show = builtins.vars

    @in_place_of(builtins.globals)
    def globals():
        return sys._getframe(1).f_globals

    @in_place_of(builtins.locals)
    def locals():
        return _local(sys._getframe(1))

    @in_place_of(show)
    def vars(*things):
        return show(*things) if things else _local(sys._getframe(1))

    for call in globals, locals, vars:
        setattr(builtins, call.__name__, call)


def _local(frame):
    """The names there; those of a function as they are now."""
    names = frame.f_locals
    return dict(names) if frame.f_code.co_flags & CO_OPTIMIZED else names
