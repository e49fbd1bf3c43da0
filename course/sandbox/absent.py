"""Modules of Python's whose C code opens files and tells no audit hook of it.

Whoever imports one while it is graded finds another in its place, which does nothing: no window and
no keyboard is there. To load the real one is told.
"""

import sys
from types import ModuleType

ABSENT = "readline", "_tkinter"
VERSION = "8.6"  # of Tk, as `tkinter` asks for it


class TclError(Exception):
    """As Tk's own."""


def put():
    """From here on."""
    for name in ABSENT:
        module = sys.modules[name] = ModuleType(name)
        vars(module)["__getattr__"] = _idle
    tk = {"TclError": TclError, "TK_VERSION": VERSION, "TCL_VERSION": VERSION, "create": _no_window}
    vars(sys.modules["_tkinter"]).update(tk, READABLE=2, WRITABLE=4, EXCEPTION=8)


def _idle(name):
    """What such a module has under this name."""
    if name[:2] == "__":
        raise AttributeError(name)
    return lambda *given: None


def _no_window(*given):
    raise TclError("no display name and no $DISPLAY environment variable")
