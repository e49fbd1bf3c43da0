"""Which call of a snippet's functions runs, and on which line. Knows frames by address; no engine.

Line 10 calls a function, whose lines run; when it returns, line 10 goes on. So does a generator
where it is asked again.
"""

from __future__ import annotations


class Calls:
    """`at`, `leave` and `resume` each move on; `now` is (line, numbers of the open calls)."""

    def __init__(self, frame):
        self.open: list = [[id(frame), 0, 0]]  # [address of a frame, call, line], innermost last
        self.asleep: dict = {}  # address of a generator's frame -> what it has in `open`
        self.many = 0

    @property
    def now(self) -> tuple:
        return self.open[-1][2], tuple([call for _, call, _ in self.open[1:]])

    def at(self, frame, line, begins) -> None:
        """This frame is on this line now; whether its call begins."""
        key = id(frame)
        if begins:
            self.many += 1
            self.asleep.pop(key, None)
            self.open.append([key, self.many, line])
        elif self._find(key) is None:
            self.resume(frame)
        self._close_above(key)
        self.open[-1][2] = line

    def leave(self, frame, sleeps=False) -> None:
        """This frame is left, for good or until it is asked for more."""
        if self._find(id(frame)) is None:  # closed where it slept
            self.asleep.pop(id(frame), None)
            return
        self._close_above(id(frame))
        if len(self.open) > 1:
            one = self.open.pop()
            if sleeps:
                self.asleep[id(frame)] = one

    def resume(self, frame) -> None:
        """A generator goes on where it was."""
        self.many += id(frame) not in self.asleep
        self.open.append(self.asleep.pop(id(frame), [id(frame), self.many, 0]))

    def _find(self, key) -> int | None:
        return next((i for i, one in enumerate(self.open) if one[0] == key), None)

    def _close_above(self, key) -> None:
        while self.open[-1][0] != key:
            self.open.pop()
