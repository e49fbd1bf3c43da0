"""How long something took: by the processor, so that a loaded machine takes no time from anybody.

Who waits takes none of the processor: by the clock, PATIENCE times as long is allowed.
"""

import signal
import threading
import time
from contextlib import contextmanager

PATIENCE = 6


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
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not able:
        yield
        return
    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, seconds * patience),
    }
    before = {number: signal.signal(number, _ring) for number in timers}
    for timer, first in timers.values():
        signal.setitimer(timer, first, 1)
    try:
        yield
    finally:
        for timer, _ in timers.values():
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _ring(number, frame):
    raise Overdue
