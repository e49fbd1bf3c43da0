"""Which of those who hold a thing is the one that grows: it holds those of more turns than others.

A window that holds the last ones, or a name for the latest, is a holder, too, and often a nearer
one; but what was made on the same line in earlier turns is no longer in it.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict

from whoholds.held_by import GRAPH, holder, holders

TURNS = 64  # the last ones: a window that holds more of them is not told from what grows
WAY = 300  # things on the way up that are looked at
KEY = re.compile(r"(\[[^]]*\])+")
AGAIN = re.compile(r"(\.\w+)\1+")  # as in a chain of objects


class Growing:
    """`holder(thing)` of what is born, {thing: (event, place)}; turns end with these events."""

    def __init__(self, paths, born, ends):
        self.paths, self.born = paths, born
        self.turns = defaultdict(set)  # (place, kind, a holder in one form) -> numbers of turns
        self.of = {}  # thing -> its holders
        first = ends[-TURNS] if len(ends) > TURNS else 0
        for thing, (number, _) in born.items():
            if first <= number and paths.facts(thing):
                self.of[thing] = [*holders(paths, thing, WAY)]
                for who, _ in self.of[thing]:
                    for key in self._keys(thing, who):
                        self.turns[key].add(bisect(ends, number))

    def holder(self, thing) -> tuple:
        """The one that holds those of the most turns, of equal ones the nearest; and its node."""
        found = self.of[thing] or [holder(self.paths, thing)]
        return max(found, key=lambda one: self._many(thing, one[0]))

    def _many(self, thing, who) -> tuple:
        return tuple(len(self.turns[key]) for key in self._keys(thing, who))

    def _keys(self, thing, who):
        """The holder whatever key or number leads on from it, and the same as it is written."""
        kind = self.paths.facts(thing).get("name", "")  # of a node: those of leaves are old ones
        root, graph, _ = who.partition(GRAPH)
        for form in AGAIN.sub(r"\1", KEY.sub("[]", root)), re.sub(r"\[\d+\]", "[]", root):
            yield self.born[thing][1], kind, form + graph
