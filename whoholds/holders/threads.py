"""What the calls that other threads are in hold."""

from __future__ import annotations

import sys
import threading

from whoholds.frames import of_file, variables
from whoholds.places import library


def of_threads():
    """(name, value) of their variables: `Thread-1: worker.batch`; not of libraries' calls."""
    frames = sys._current_frames()
    del frames[threading.get_ident()]  # this call would hold itself
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)  # None before it runs
        while frame is not None:
            if not library(frame.f_code.co_filename) and not of_file(frame):
                called = f"{thread.name}: {frame.f_code.co_name.strip('<>')}."
                yield from [(called + name, value) for name, value in named_in(frame)]
            frame = frame.f_back


def named_in(frame) -> list:
    """The variables of a call that have a name: a comprehension's `.0` has none."""
    return [row for row in variables(frame) if row[0].isidentifier()]
