"""A recording that also tells who holds what its picture has no arrow to.

Names, tensors, nodes and walks have cards and arrows. But a closure, an object of one's own,
`Out[3]` or the traceback of a kept error hold tensors as well. After each line the recorder looks
for what no path leads to, and tells who holds it, in words.
"""

from __future__ import annotations

from course.step.paths import Paths
from course.step.search import RUNNING, Search
from minigrad.trace.translate import Translation

RING = "a ring of references, until gc.collect() comes"
UNSEEN = "not looked for: too much was looked for before"
SEARCHES = 200  # of one recording; each asks all of Python's objects
MOST = 3  # holders told of one thing


class Told(Translation):
    """Events, with those of who holds what; the state knows the paths."""

    def __init__(self, live, older):
        super().__init__(live, older)
        self.state = Paths()
        for event in self.events:
            self.state.apply(event)

    def held(self, line, target, by):
        self.emit("held", line, target=target, by=by)


class Finder:
    """After each line: what has no path, and who holds it. `engine` finds the objects."""

    def __init__(self, recorder, engine, live=0, older=()):
        self.recorder, self.engine = recorder, engine
        self.told = Told(live, dict(older))
        self.by: dict = {}  # thing -> what was told of its holders
        self.searches = 0

    def events(self) -> list:
        """All that was noted."""
        return self.told.told(self.recorder.notes)

    def look(self, namespace) -> None:
        """Note what is new about who holds what."""
        if self.recorder.seed is not None:
            return  # the beginning of a walk is not noted yet
        self.events()
        lost = self.told.state.lost()
        now = self._holders(lost, namespace) if lost else {}
        for thing in {*now, *self.by}:
            by = now.get(thing, [])
            if self.told.state.facts(thing) and self.by.get(thing, []) != by:
                self.recorder.note("held", thing, by)
        self.by = {thing: by for thing, by in now.items() if by}

    def _holders(self, lost, namespace) -> dict:
        """{thing: [[holder or None, words], ...]} of what has no path."""
        self.searches += 1
        if self.searches > SEARCHES:
            return {thing: [[None, UNSEEN]] for thing in lost}
        found: dict = {}
        while new := lost.keys() - found.keys():
            things = self.engine.objects({t: lost[t] for t in new}, self.told.serial)
            found |= dict.fromkeys(new, []) | Search(things, self.engine, namespace).found
            things.clear()
            for holder in {one for by in found.values() for one, _ in by if one}:
                lost |= self.told.state.without_root(holder, lost)
        for end in self.engine.running, RING:
            for thing in _unexplained(lost, found, end == RING):
                found[thing] = [*found[thing], [None, end]]
        return {thing: _first(by) for thing, by in found.items()}


def _unexplained(lost, found, rings) -> list:
    """Of what nobody who is named leads to: what nobody holds at all, or the rings."""
    good = {thing for thing, by in found.items() if any(_outside(h, lost) for h, _ in by)}
    todo = list(good)
    below: dict = {}
    for thing, above in lost.items():
        for one in {*above, *(holder for holder, _ in found[thing])}:
            below.setdefault(one, []).append(thing)
    while todo:
        for thing in below.get(todo.pop(), ()):
            if thing not in good:
                good.add(thing)
                todo.append(thing)
    bad = [thing for thing in lost if thing not in good]
    if rings:
        return [thing for thing in bad if _leads_back(thing, below)]
    return [t for t in bad if not lost[t] and not found[t]]


def _leads_back(thing, below) -> bool:
    """Whether it is part of a ring."""
    seen: set = set()
    todo = [thing]
    while todo:
        for one in below.get(todo.pop(), ()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    return thing in seen


def _outside(holder, lost) -> bool:
    return holder is None or holder not in lost


def _first(by) -> list:
    """The holders worth telling: cards, then names, then what stands behind an underscore."""
    named = [one for one in by if one[1] != RUNNING] or by
    rank = lambda one: (one[0] is None, "name _" in one[1], len(one[1]), one[1])  # noqa: E731
    return sorted(named, key=rank)[:MOST]
