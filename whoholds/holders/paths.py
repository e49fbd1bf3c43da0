"""Which cards of the picture can be reached: along its arrows, from a name or from a walk.

A thing is written as in a trace, "t1", "n2" or "s3"; names and walks under way stand beside them.
It knows events, and no engine.
"""

from __future__ import annotations

import re
from collections import defaultdict

from whoholds.holders.roots import Roots
from whoholds.state import LEAF_HOLDER, State

WALK = "walk"
NAME = "name "
ITEM = re.compile(r"(\[\d+\])+(?= of |$)")  # which one of a list grows is no answer; the list is


class Paths(State):
    """The State, and who refers to what in it. `lost()` looks at what may have lost its path."""

    def __init__(self):
        super().__init__()
        self.onward: dict = {}  # thing -> what it refers to
        self.holders = defaultdict(set)  # thing -> who refers to it
        self.loose: set = set()  # is new, or has lost a holder, since somebody asked
        self.walks: list = []  # of each walk under way, the nodes that it began at

    def apply(self, event) -> None:
        super().apply(event)
        for thing in _touched(event):
            self._update(thing)

    def _backward(self, e):
        super()._backward(e)
        self.walks.append(e["nodes"])

    def _end(self, e):
        super()._end(e)
        self.walks.pop()
        self.loose |= {f"s{number}" for number in self.storages}  # some were in flight

    def facts(self, thing) -> dict:
        """What the State knows of a thing; {} if it lives no more."""
        known = {"t": self.tensors, "n": self.nodes, "s": self.storages}[thing[0]]
        return known.get(int(thing[1:]), {})

    # -- who refers to whom --

    def _update(self, thing):
        before, now = self.onward.pop(thing, set()), self._refers(thing)
        for other in before - now:
            self.holders[other].discard(thing)
            self.loose.add(other)
        for other in now - before:
            self.holders[other].add(thing)
        if now:
            self.onward[thing] = now
        if not before:
            self.loose.add(thing)
        if _is_card(thing) and not self.facts(thing):
            self.holders.pop(thing, None)

    def _refers(self, thing) -> set:
        if thing == WALK:
            return {f"n{number}" for nodes in self.walks for number in nodes}
        if thing.startswith(NAME):
            return set(self.names.get(thing.removeprefix(NAME), ()))
        facts = self.facts(thing)
        if not facts or thing[0] == "s":
            return set()
        return set(_of_tensor(facts) if thing[0] == "t" else _of_node(facts))

    def _above(self, thing) -> set:
        """Who has an arrow to a thing."""
        above = set(self.holders.get(thing, ()))
        if thing[0] == "t":  # a gradient's tensor is held by the one whose .grad it is
            on = self.facts(thing)["storage"]
            owners = self.holders.get(f"s{on}", ())
            above |= {t for t in owners if t[0] == "t" and self.facts(t).get("grad") == on}
        return {one for one in above if not _is_card(one) or self.facts(one)}

    # -- what nothing leads to --

    def lost(self) -> dict:
        """{thing: who holds it} of what no name and no walk leads to, and of all above it."""
        found: dict = {}
        roots = self.roots()
        for thing in self.loose:
            if _is_card(thing) and self.facts(thing):
                roots.add_lost(thing, found)
        self.loose = set(found)
        return found

    def roots(self) -> Roots:
        """Tells what a name or a walk leads to, until the next event."""
        return Roots(self._above, self._is_root)

    def _is_root(self, thing, above) -> bool:
        return self._in_flight(thing) or not all(map(_is_card, above))

    def _in_flight(self, thing) -> bool:
        """Whether it is a gradient that a walk has."""
        facts = self.facts(thing)
        if thing[0] == "t":
            facts = self.storages.get(facts["storage"], {})
        return bool(facts.get("flight"))


def _is_card(thing) -> bool:
    """Not a name and not the walk."""
    return thing[1:].isdigit()


def _touched(event):
    """The things that refer to others than before after this event."""
    if event["kind"] in ("backward", "end"):
        yield WALK
    if "name" in event and event["kind"] != "node":
        yield NAME + event["name"]
    for letter, key in ("t", "tensor"), ("n", "node"):
        if event.get(key) is not None:
            yield letter + str(event[key])
    if event["kind"] == "born":
        yield f"s{event['storage']}"


def _of_tensor(tensor):
    yield f"s{tensor['storage']}"
    if tensor["grad"] is not None:
        yield f"s{tensor['grad']}"
    if tensor["fn"] is not None:
        yield f"n{tensor['fn']}"
    if tensor["base"] is not None:
        yield f"t{tensor['base']}"


def _of_node(node):
    yield from (f"n{edge[0]}" for edge in node["edges"] if edge)
    for slot in () if node["freed"] else node["slots"]:
        yield f"s{slot['storage']}"
        if slot["tensor"] is not None:
            yield f"t{slot['tensor']}"
    if node["name"] == LEAF_HOLDER:
        yield f"t{node['tensor']}"
