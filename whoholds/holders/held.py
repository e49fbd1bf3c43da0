"""A recording that also tells who holds what its picture has no arrow to.

Names, tensors, nodes and walks have cards and arrows. But a closure, an object of one's own,
`Out[3]` or the traceback of a kept error hold tensors as well. After each line the recorder looks
for what no path leads to, and tells who holds it, in words.
"""

from __future__ import annotations

from whoholds.holders.bounded import bounded, named
from whoholds.holders.objects import TRACEBACK
from whoholds.holders.paths import ITEM, NAME, Paths
from whoholds.holders.reach import RUNNING, Reach
from whoholds.holders.search import Search
from whoholds.translate import Translation

RING = "a ring of references, which gc.collect() ends, or nobody does"
UNSEEN = "somebody that was not looked for any more"
SEARCHES = 20  # of one recording: each asks all of Python's objects
MOST = 3  # holders told of one thing
LOOKS = 3  # at one moment


class Told(Translation):
    """Events, with those of who holds what; the state knows the paths."""

    state: Paths

    def __init__(self, live, older):
        super().__init__(live, older)
        self.state = Paths()
        for event in self.events:
            self.state.apply(event)


class Finder:
    """After each line: what has no path, and who holds it. `engine` knows the objects."""

    def __init__(self, recorder, engine, live=0, older=()):
        self.recorder, self.engine = recorder, engine
        self.told = Told(live, dict(older))
        self.by: dict = {}  # thing -> what was told of its holders
        self.outside: dict = {}  # thing -> what a search has found
        self.rings: set = set()  # things that only a ring of objects holds
        self.searches = 0
        self.bounds: dict = {}  # name -> Bound, of what holds a number of things at most
        self.leaving = False

    def events(self) -> list:
        """All that was noted."""
        return self.told.told(self.recorder.notes)

    def look(self, namespace, last=False, error=None) -> None:
        """Note what is new about who holds what; `error` is what ended the program."""
        self.leaving = last
        if last:  # what is told at the end has been looked for again
            self.outside, self.rings, self.searches = {}, set(), 0
        now = self._now(namespace, error)
        if self.told.turns:
            if last and (self.bounds or self.recorder.asked is None):  # grows() has looked
                self.look_for_bounds(namespace)
            now |= self._beside(now, namespace, error)
        for thing in sorted({*now, *self.by}):
            by = now.get(thing, [])
            if self.told.state.facts(thing) and self.by.get(thing, []) != by:
                self.recorder.note("held", thing, by)
        self.by = {thing: by for thing, by in now.items() if by}
        self.outside = {thing: by for thing, by in self.outside.items() if thing in now}

    def look_for_bounds(self, namespace) -> None:
        """Who holds a number of things at most, and how many these are now."""
        things = bounded(self.engine)
        if things:
            self.bounds |= named(things, Reach(things, self.engine, namespace, around=True).found)
        things.clear()

    def _now(self, namespace, error) -> dict:
        """Who holds what no path leads to. To look makes objects, of which the collector may wake
        and end what is looked for: then it is looked for once more.
        """
        for _ in range(LOOKS):
            self.events()
            noted, lost = len(self.recorder.notes), self.told.state.lost()
            now = self._holders(lost, namespace, error) if lost else {}
            self.engine.catch_up()
            if len(self.recorder.notes) == noted:
                break
        return now

    def _beside(self, now, namespace, error) -> dict:
        """Who else holds what a path leads to: that may be a window, and another one may grow."""
        state = self.told.state
        cards = {f"t{n}": {NAME} for n, one in state.tensors.items() if state.passing(one)}
        things = {card: by for card, by in cards.items() if card not in now}
        found = self._reached_from(things, namespace, error)
        more = {thing: [one for one in by if self._is_news(thing, one[1])]
                for thing, by in found.items()}  # fmt: skip
        return {thing: sorted(by, key=_rank) for thing, by in more.items() if by}

    def _is_news(self, thing, words) -> bool:
        """Whether the picture does not have it as an arrow from a name."""
        name = ITEM.sub("", words).removeprefix(NAME)
        return words != RUNNING and thing not in self.told.state.names.get(name, ())

    def _reached_from(self, things, namespace, error, around=False) -> dict:
        objects = self.engine.objects(things, self.told.serial)
        reach = Reach(objects, self.engine, namespace, error, around)
        objects.clear()
        return reach.found

    def _holders(self, lost, namespace, error) -> dict:
        """{thing: [[holder or None, words], ...]} of what has no path, as far as any is told."""
        found = self._reached(lost, namespace, error)
        if bad := _unexplained(lost, found):
            found = self._reached(lost, namespace, error, around=True)
            bad = _unexplained(lost, found)
        new = bad.keys() - self.outside.keys()
        if new and self.engine.meet_others(self._storages(new)):
            return {}  # what holds them has cards now, so all are asked once more
        if new and self.searches < SEARCHES:
            self.searches += 1
            things = self.engine.objects(bad, self.told.serial)
            search = Search(things, self.engine)
            self.outside |= {thing: [] for thing in bad} | search.found
            self.rings |= search.rings
            things.clear()
        for thing in bad:
            found[thing] = [*found[thing], *self.outside.get(thing, [[None, UNSEEN]])]
        alone = self.engine.unknown if self.leaving else self.engine.running
        for thing, ring in _unexplained(lost, found).items():
            if ring or not (lost[thing] or found[thing]):
                saved = not ring and self._saved_by(thing)
                words = RING if ring or thing in self.rings else alone
                last = [saved, ""] if saved else [None, words]
                found[thing] = [*found[thing], last]
        most = None if self.told.turns else MOST  # of what grows all are asked
        return {thing: _first(by)[:most] for thing, by in found.items()}

    def _storages(self, things) -> set:
        """The numbers of the storages that these are on."""
        facts = [(thing, self.told.state.facts(thing)) for thing in things if thing[0] != "n"]
        return {of["storage"] if thing[0] == "t" else int(thing[1:]) for thing, of in facts}

    def _saved_by(self, thing):
        """The node that has saved a tensor, as the copy of what an in-place operation writes to."""
        state = self.told.state
        on = thing[0] == "t" and state.facts(thing)["storage"]
        nodes = [one for one in state.holders.get(f"s{on}", ()) if one[0] == "n"]
        return min(nodes, default=None)

    def _reached(self, lost, namespace, error, around=False) -> dict:
        """What the names and the cards lead to; what has no path and holds more joins the lost."""
        found: dict = {}
        roots = self.told.state.roots()
        while new := lost.keys() - found.keys():
            asked = {thing: lost[thing] for thing in new}
            reached = self._reached_from(asked, namespace, error, around)
            found |= dict.fromkeys(new, []) | reached
            for holder in {one for by in found.values() for one, _ in by if one}:
                if self.told.state.facts(holder):
                    roots.add_lost(holder, lost)
        return found


def _unexplained(lost, found) -> dict:
    """{thing: whether it is part of a ring} of what nobody who is named leads to."""
    below: dict = {}
    for thing, above in lost.items():
        for one in {*above, *(holder for holder, _ in found[thing])}:
            below.setdefault(one, []).append(thing)
    roots = [t for t, by in found.items() if any(h is None or h not in lost for h, _ in by)]
    good = {*roots, *_leads_to(roots, below)}
    return {t: t in _leads_to([t], below) for t in lost if t not in good}


def _leads_to(start, below) -> set:
    seen: set = set()
    todo = list(start)
    while todo:
        for one in below.get(todo.pop(), ()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    return seen


def _first(by) -> list:
    """The holders worth telling: cards, then names, then what stands behind an underscore, or
    somewhere in a kept error.
    """
    named = [one for one in by if one[1] != RUNNING] or by
    return sorted(named, key=_rank)


def _rank(one) -> tuple:
    holder, words = one
    return holder is None, "name _" in words, words.endswith(TRACEBACK), len(words), words
