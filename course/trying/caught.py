"""The errors that a learner's code caught itself.

A test that answers False may have failed inside: then its answer says nothing about what it was
tried on.
"""

import sys

from course.trying import lines


def caught(function, *arguments):
    """The first error in the learner's lines of a call, made once more to watch it; or ""."""
    found: list = []

    def of_call(frame, event, argument):
        if not lines.is_own(frame.f_code.co_filename):
            return None
        frame.f_trace_lines = False
        return of_frame

    def of_frame(frame, event, argument):
        if event == "exception" and not issubclass(argument[0], StopIteration):
            found.append(f"line {frame.f_lineno}: {argument[0].__name__}: {argument[1]}")
        return of_frame

    before = sys.gettrace()
    trace(of_call)
    try:
        function(*arguments)
    finally:
        trace(before)
    return found[0][:100] if found else ""


def trace(function):
    """sys.settrace, which a guard hears of: from here it may be called."""
    sys.settrace(function)
