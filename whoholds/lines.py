"""Bytes by line of code: what `record(detail="line")` tells. Plain data; knows no engine."""

from __future__ import annotations

import linecache
from typing import Any

from whoholds.places import said
from whoholds.turned import TurnTrace

LINE = "line"


class LineTrace(TurnTrace):
    """A row is a dict: place, code, made (bytes that the line allocated for what outlived its op),
    kept (bytes that it made, now or in a turn before, and that live at the end of the turn), after
    (bytes alive when it was left last), peak (the most alive while it ran).
    """

    detail = LINE
    heads = "line", "made", "kept", "alive after", "peak"
    empty = "no line allocated anything: nothing was recorded"
    says = (
        "made: bytes that the line allocated. kept: bytes that it made, now or in a turn before, "
        "and that live when the turn is over. alive after: bytes that live when the line is left "
        "last. peak: the most while it ran."
    )

    def cells(self, row) -> tuple:
        words = f"{row['place']}: {row['code']}" if row["code"] else row["place"]
        return words, row["made"], row["kept"], row["after"], row["peak"]


class Lines:
    """Makes the turns. A place is a tuple: file, line, function."""

    def __init__(self, main):
        self.main = main  # the file whose lines need no name
        self.turns: list = []
        self.here: Any = None  # the row of the line that runs
        self._begin()

    def _begin(self):
        self.rows: dict = {}  # place -> row
        self.peak, self.at = 0, ""

    def at_line(self, place) -> bool:
        """Whether the line that runs is this one."""
        return self.here is not None and self.here is self.rows.get(place)

    def enter(self, place, alive) -> None:
        """Another line runs from now on; so many bytes live."""
        if self.here is not None:
            self.here["after"] = alive
        if place not in self.rows:
            self.rows[place] = self._row(place)
        self.here = self.rows[place]

    def _row(self, place) -> dict:
        file, line, _ = place
        name = f"line {line}" if file == self.main else said(place)
        code = linecache.getline(file, line).strip()
        return dict(place=name, code=code, made=0, kept=0, after=0, peak=0)

    def higher(self, alive) -> bool:
        """Whether so many bytes would be a new peak of the line."""
        return alive > self.here["peak"]

    def alive(self, alive) -> None:
        """So many bytes live while the line runs."""
        self.here["peak"] = max(alive, self.here["peak"])
        if alive > self.peak:
            self.peak, self.at = alive, self.here["place"]

    def turn(self, alive, kept) -> None:
        """A turn is over: so many bytes live, `kept` of each place; if anything ran in it."""
        if not self.rows:
            return
        self.here["after"] = alive
        for place, row in self.rows.items():
            row["kept"] = kept.get(place, 0)
        rows = [row for row in self.rows.values() if row["made"]]
        self.turns.append(dict(rows=rows, after=alive, peak=self.peak, at=self.at))
        self.here = None
        self._begin()
