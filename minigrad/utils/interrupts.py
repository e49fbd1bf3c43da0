"""Ctrl-C is not lost, and the ledger stays right, if it lands where Python forgets exceptions.

An exception raised in a `__del__` goes to sys.unraisablehook, and that is all: a Storage's would
not lower the ledger, and the program would go on as if nobody had pressed Ctrl-C.
"""

from __future__ import annotations

import ctypes
import sys
from threading import get_ident

from minigrad.core import frames
from minigrad.core.storage import Storage

interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
interrupt.argtypes = ctypes.c_ulong, ctypes.py_object


class _Again:
    """`again[thread] = KeyboardInterrupt` raises it there, where Python next asks for interrupts.

    After an assignment it does not ask, as it does after a call: that came too early.
    """

    __setitem__ = interrupt


again = _Again()


def install() -> None:
    """From here on, mend and tell again; what else is swallowed goes where it went before."""
    before = sys.unraisablehook

    def unraisable(told, /):
        if _mended(told.exc_traceback) and told.exc_type is AttributeError:
            return  # the interrupt itself is on its way
        if told.exc_type is not KeyboardInterrupt or sys.is_finalizing():
            before(told)
        else:
            again[get_ident()] = KeyboardInterrupt

    sys.unraisablehook = unraisable


def _mended(traceback) -> bool:
    """Call a `__del__` of minigrad's again if it had not begun; True if it had nothing to do."""
    frame = traceback and traceback.tb_frame
    if frame and frame.f_code.co_name == "__del__" and frames.inside(frame.f_code.co_filename):
        thing = frames.variables_of(frame)["self"]
        if traceback.tb_lineno == frame.f_code.co_firstlineno:
            thing.__del__()
        return isinstance(thing, Storage) and not hasattr(thing, "bytes")  # half made
    return False
