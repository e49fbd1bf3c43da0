"""Which of a program's optimizers ends a turn with its step. Knows no engine.

A loop may have several, one for each network of a pair. Its turn ends with the step of the one that
steps least often, of two alike with that of the later one, and not before each has stepped once: in
its first step an optimizer makes what it keeps. Which ones are of one loop is known as soon as one
steps again that was there before the newest; so a turn may turn out to be none. Where one is made
anew for each of many steps, each is a turn.
"""

from __future__ import annotations

import weakref

from whoholds.turns import ASKED

MANY = 10  # networks that are trained in one loop are fewer
RARELY = 10  # so many steps of another one in a row: what steps so rarely ends no turn


class Steps:
    """`see(optimizer)` at each step. `over` says whether it ended a turn, `turns` how many are."""

    def __init__(self):
        self.refs: list = []  # weak references to the optimizers, as they stepped first
        self.counts: list = []  # their steps
        self.begun: list = []  # how many steps there were before their first ones
        self.marks: list = []  # which one each step was of
        # Whose steps end turns, None for all, and from which step on.
        self.ender: int | None = 0
        self.first = 0
        self.decided = 0  # the newest one when that was decided
        self.row = 0  # steps of one optimizer, one after the other
        self.turns, self.over = 0, False

    def see(self, optimizer) -> bool:
        """One has stepped: whether it is known now that other steps end the turns."""
        before = self.ender, self.first
        one = self._number(optimizer)
        newest = len(self.refs) - 1
        if one < newest and self.decided < newest:
            least = min(self.counts)
            self.ender = max(i for i, count in enumerate(self.counts) if count == least)
            self.first, self.decided = self.begun[newest], newest
        self.row = self.row + 1 if self.marks[-1:] == [one] else 1
        self.marks.append(one)
        self.counts[one] += 1
        if one == newest and self.decided < newest and self.row == ASKED:
            self.ender, self.first = one, self.begun[one]  # those before it are no longer used
        if self.row > RARELY and one != self.ender:
            self.ender, self.first = one, 0
        if len(self.marks) == len(self.refs) >= MANY:  # none has stepped twice
            self.ender = None
        return self._count((self.ender, self.first) != before)

    def _count(self, other) -> bool:
        self.over = self.ender in (None, self.marks[-1])
        self.turns += self.over
        if other:
            later = self.marks[self.first :]
            self.turns = len(later) if self.ender is None else later.count(self.ender)
        return other

    def _number(self, optimizer) -> int:
        """Which one it is; one that is made anew in each turn takes over from the one before."""
        found = [ref() for ref in self.refs]
        for wanted in optimizer, None:
            for number, known in enumerate(found):
                if known is wanted:
                    self.refs[number] = weakref.ref(optimizer)
                    return number
        self.refs.append(weakref.ref(optimizer))
        self.counts.append(0)
        self.begun.append(len(self.marks))
        return len(self.refs) - 1
