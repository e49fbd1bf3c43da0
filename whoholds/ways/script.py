"""Ways out for a script that may be run again: each changed text of it is run in a copy."""

from __future__ import annotations

import contextlib
import copy
import importlib
import sys

from whoholds.ways.facts import facts
from whoholds.ways.out import ways_out
from whoholds.ways.reserve import Reserve, possible


class Over(BaseException):
    """What was to be recorded is recorded; what the program would do then is not asked."""


class Advisor:
    """Make it before the program runs; `advise(trace)` then sets `trace.ways`, sentences."""

    def __init__(self, program, arguments):
        self.program, self.reserve = program, None
        importlib.import_module(program.engine)  # once, not in each copy
        self.why = possible()

        def look(text):
            return run(program, text, arguments)

        if not self.why:
            self.reserve = Reserve(look)

    def advise(self, trace) -> None:
        if self.reserve is None:
            trace.ways = [f"none was tried: {self.why}"]
            return
        with self.reserve:
            trace.ways = ways_out(self.program.source, self.reserve.trial).rows()


def run(program, text, arguments) -> dict:
    """The facts of the program with this text."""
    found: dict = {}

    def ended(trace):
        found.update(facts(trace, vars(sys.modules["__main__"])))
        raise Over

    changed = copy.copy(program)
    changed.source, changed.ended = text, [ended]
    with contextlib.suppress(Over):
        changed.run(arguments)
    return found or {"error": "it could not be recorded"}
