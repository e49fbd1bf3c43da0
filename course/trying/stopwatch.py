"""How long something took: by the processor, so that a loaded machine takes no time from anybody.

Who waits takes none of the processor: by the clock, PATIENCE times as long is allowed.
"""

import signal
import sys
import threading
import time
from contextlib import contextmanager
from time import process_time
from typing import Any

PATIENCE = 6
# As they are now: who sets an alarm while a learner's code runs is told.
_signals: Any = sys.modules["_signal"]
_handle: Any = _signals.signal
_set_timer: Any = getattr(_signals, "setitimer", None)


class Overdue(BaseException):
    """Raised by the alarm; no `except Exception` of the learner's stops it."""


class Stopwatch:
    """Runs from when it is made; `processor` gives the processor's seconds of what it watches."""

    def __init__(self, processor=time.process_time, patience=PATIENCE):
        self._processor, self._patience = processor, patience
        self._began = processor(), time.monotonic()

    def seconds(self):
        worked, clock = self._began
        return max(self._processor() - worked, (time.monotonic() - clock) / self._patience)


@contextmanager
def alarm(seconds, patience=PATIENCE):
    """Stop the block after so many seconds, where the platform has alarms; then every second."""
    able = _set_timer is not None and threading.current_thread() is threading.main_thread()
    if not able:
        yield
        return
    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, seconds * patience),
    }
    late = process_time() + seconds
    over: list = []  # or has it been left?

    def ring(number, frame):
        # This timer counts in ticks: too many of them, perhaps, where others want the processor.
        if number == signal.SIGPROF and (left := late - process_time()) > 0:
            _set_timer(signal.ITIMER_PROF, left, 1)
        elif not over:
            for timer, _ in timers.values():  # the other one does not meet what this one unwinds
                _set_timer(timer, 1, 1)
            raise Overdue

    before = {number: _handle(number, ring) for number in timers}
    try:
        try:
            for timer, first in timers.values():
                _set_timer(timer, first, 1)
            yield
        finally:
            over.append(True)  # it rings in vain from here on; before, it comes to the other line
    finally:
        over.append(True)
        for timer, _ in timers.values():
            _set_timer(timer, 0)
        for number, handler in before.items():
            _handle(number, handler)
