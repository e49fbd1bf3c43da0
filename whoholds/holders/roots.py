"""What does no root lead to? Asked of one thing after the other, on the way up to who holds it.

A thing that was passed once is known from then on, so all questions together take as many steps as
there are references. (Tarjan's way to find rings: a thing waits until all above it is known; if
then a root turns up, it leads to all that waits.)
"""

from __future__ import annotations


class Roots:
    """Knows what it has passed, as long as no reference changes.

    `above(thing)` is the set of those who hold it; `is_root(thing, above)` tells of the ends.
    """

    def __init__(self, above, is_root):
        self.above, self.is_root = above, is_root
        self.reached: set = set()  # things that a root leads to
        self.free: dict = {}  # thing -> who holds it, of those that none leads to

    def add_lost(self, start, found: dict) -> None:
        """Put a thing that no root leads to into `found`, with its holders, and all above it."""
        todo = [] if self.leads_to(start) else [start]
        while todo:
            thing = todo.pop()
            if thing not in found:
                found[thing] = self.free[thing]
                todo += found[thing]

    def leads_to(self, start) -> bool:
        """Whether a root does."""
        if start not in self.reached and start not in self.free:
            climb = _Climb(self, start)
            while climb.path and not climb.arrived:
                climb.step()
            self.reached.update(climb.waiting)
        return start in self.reached


class _Climb:
    """From one thing up, until a root is found or all above is known."""

    def __init__(self, roots, start):
        self.roots, self.arrived = roots, False
        self.path = [start]  # from there to the thing that is asked now
        self.waiting: list = []  # things, as they were passed, of which it is not known yet
        self.holders: dict = {}  # thing -> who holds it
        self.ways: dict = {}  # thing -> those of them that are not asked yet
        self.number: dict = {}  # thing -> how many were passed before
        self.lowest: dict = {}  # thing -> the least number of those waiting that it leads up to

    def step(self):
        """One more holder of the thing is asked; or there is none, and one goes back."""
        thing = self.path[-1]
        if thing not in self.holders:
            self._pass(thing)
        for one in () if self.arrived else self.ways[thing]:
            if one in self.roots.reached:
                self.arrived = True
                return
            if one in self.roots.free:
                continue
            if one not in self.number:
                self.path.append(one)
                return
            self.lowest[thing] = min(self.lowest[thing], self.number[one])
        if not self.arrived:
            self._back(thing)

    def _pass(self, thing):
        self.holders[thing] = above = self.roots.above(thing)
        self.number[thing] = self.lowest[thing] = len(self.number)
        self.ways[thing] = iter(above)
        self.waiting.append(thing)
        self.arrived = self.roots.is_root(thing, above)

    def _back(self, thing):
        self.path.pop()
        lowest = self.lowest[thing]
        if self.path:
            below = self.path[-1]
            self.lowest[below] = min(self.lowest[below], lowest)
        if lowest == self.number[thing]:  # whatever came before, nothing of it is above this
            done = None
            while done != thing:
                done = self.waiting.pop()
                self.roots.free[done] = self.holders[done]
