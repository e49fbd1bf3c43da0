"""Bytes at the boundaries of modules: what `record(detail="module")` tells.

A turn ends when an optimizer has stepped. Each turn has a row for each module that was called in
it. Plain numbers and strings; knows no engine.
"""

from __future__ import annotations

from bisect import bisect_right

from whoholds.turned import TurnTrace

MODULE = "module"
OUTSIDE = "a place outside of all modules"


class ModuleTrace(TurnTrace):
    """A row is a dict: path, kind (the class), calls, saved (bytes that what ran in it saved for
    backward), after (bytes alive when its last call was over), peak (the most at one of its
    boundaries, forward or backward).
    """

    detail = MODULE
    heads = "module", "calls", "saved", "alive after", "peak"
    empty = "no module was called: nothing was recorded"
    says = (
        "saved: bytes that the module and those in it saved for backward. alive after: bytes that "
        "live when its last call is over. peak: the most at one of its boundaries, forward or "
        "backward."
    )

    def cells(self, row) -> tuple:
        name = f"{row['path']} ({row['kind']})"
        return name, str(row["calls"]), row["saved"], row["after"], row["peak"]


class Owners:
    """Whose the nodes are: from a number on, those of one owner, until the next one is told."""

    def __init__(self, number, owner):
        self.marks, self.owners = [number], [owner]

    def begin(self, number, owner) -> None:
        self.marks.append(number)
        self.owners.append(owner)

    def of(self, number):
        """The owner of the node with this number; of one before the first mark, the first."""
        return self.owners[max(0, bisect_right(self.marks, number) - 1)]


class Boundaries:
    """Makes the turns. Nodes of the graph are told apart by `now`, the number of the next one."""

    def __init__(self, now):
        self.turns: list = []
        self.open: list = []  # paths of the calls that are running
        self._begin(now)

    def _begin(self, now):
        self.rows: dict = {}  # path -> row
        self.first, self.owners = now, Owners(now, self._paths())
        self.peak, self.after, self.at = 0, 0, OUTSIDE

    def _paths(self) -> tuple:
        return tuple(dict.fromkeys(self.open))  # a module may run in itself

    def enter(self, path, kind, now) -> None:
        self.open.append(path)
        self._row(path, kind)["calls"] += 1
        self.owners.begin(now, self._paths())

    def leave(self, now) -> None:
        self.open.pop()
        self.owners.begin(now, self._paths())

    def _row(self, path, kind="") -> dict:
        new = dict(path=path, kind=kind, calls=0, saved=0, after=0, peak=0)
        return self.rows.setdefault(path, new)

    def saved(self, number, size) -> None:
        """The node with this number has saved so many bytes that none before it had."""
        for path in self.owners.of(number):
            self._row(path)["saved"] += size

    def alive(self, size, paths=None, how="", over=False) -> None:
        """So many bytes live now, at a boundary in these modules, by default those that run.

        `over`: the call of the innermost one is over; `how` is said of the peak.
        """
        paths = self.open if paths is None else paths
        self.after = size
        if size > self.peak:
            self.peak, self.at = size, f"{how}{paths[-1]}" if paths else OUTSIDE
        rows = [row for path in paths if (row := self.rows.get(path))]
        for row in rows:
            row["peak"] = max(row["peak"], size)
        if over and rows:
            rows[-1]["after"] = size

    def turn(self, now) -> None:
        """A turn is over, if anything has happened in it."""
        if self.rows:
            self.turns.append(self.so_far())
        self._begin(now)

    def so_far(self) -> dict:
        rows = [dict(row) for row in self.rows.values()]
        return dict(rows=rows, after=self.after, peak=self.peak, at=self.at)
