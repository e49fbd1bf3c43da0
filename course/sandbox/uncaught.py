"""An error that nobody catches, in a `__del__` or a thread, is printed without its lines.

Python would look the lines up in their files, in the learner's name: as one who reads the engine.
"""

import sys
import threading
import traceback

from minigrad.utils import interrupts


def print_without_lines():
    """From here on."""
    sys.unraisablehook = lambda told: _print(told.exc_type, told.exc_value)
    interrupts.install()  # of the engine's own it looks first whether there is something to mend
    threading.excepthook = lambda told: _print(told.exc_type, told.exc_value)


def _print(kind, error):
    if kind is not SystemExit:
        lines = traceback.format_exception_only(kind, error)
        print("Nobody caught:", "".join(lines), end="", file=sys.stderr)
