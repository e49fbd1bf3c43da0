"""Ways out of a cell's error or of its growth: tried in a copy of the process, with their prices.

The copy is made before the cell runs, and only for a cell that could need it.
"""

from __future__ import annotations

from whoholds.growth import growth
from whoholds.step import prices
from whoholds.turns import ASKED, turns
from whoholds.ways import Reserve, possible, ways_out
from whoholds.ways.facts import facts

CALLS = "backward", "grad("  # without one of these there is no error with a way out
UNTRIED = " (not tried)"


class Advisor:
    """`run(text)` gives the Outcome of a cell and the names that it leaves."""

    def __init__(self, cell: str, run, asked: bool):
        self.cell, self.asked, self.reserve, self.why = cell, asked, None, ""
        if not asked and not any(call in cell for call in CALLS):
            return
        self.why = possible()
        if self.why:
            return

        def look(text):
            outcome, names = run(text)
            return facts(outcome.trace, names, outcome.error)

        try:
            self.reserve = Reserve(look)
        except OSError as error:
            self.why = f"this process cannot be copied: {error}"

    def rows(self, trace) -> list:
        """What is to be said: the cause, then the ways out; also kept as `trace.ways`."""
        told = prices.told(trace)
        if told is None and not (self.asked and grown(trace)):
            return []
        cause, known = told or ("", {})
        ways = self._ways(trace, known)
        trace.ways = ways
        return [row for row in (cause, *(f"- {way}" for way in ways)) if row]

    def _ways(self, trace, known) -> list:
        if self.reserve is None:
            why = f" (not tried: {self.why})" if self.why else UNTRIED
            return [row + why for row in known.values()]
        advice = ways_out(self.cell, self.reserve.trial)
        if advice.ways:
            return [_told(way, known.get(way.place, "")) for way in advice.ways]
        if not advice.failed:  # none of these can be made in the cell's text
            return [row + UNTRIED for row in known.values()] or advice.rows()
        return advice.rows()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.reserve is not None:
            self.reserve.close()


def _told(way, known) -> str:
    """The price that the trace shows, if it is of these lines; else what the trial has shown."""
    which, again, _ = known.partition(" again")
    return known if known and (not again or way.words.startswith(f"{which} again")) else f"{way}"


def grown(trace) -> bool:
    """Whether a loop of the cell leaves more behind with each turn."""
    return any(growth(trace, marks).grew for marks in turns(trace) if len(marks) >= ASKED)
