"""What holds a number of things at most: it grows until it is full, and then it holds the last."""

from __future__ import annotations

from bisect import bisect
from math import ceil
from typing import NamedTuple

from whoholds.growing import Growing
from whoholds.holders.paths import Paths
from whoholds.state import LEAF_HOLDER

FEW = 12  # turns: a bound that is reached so soon is waited for


class Bounds:
    """`of` is {name: Bound} as the recorder has told them last."""

    def __init__(self, of):
        self.all = of

    def name(self, who) -> str | None:
        """The one of them that this holder is, or is a way into."""
        return next((name for name in self.all if _leads_into(name, who)), None)

    def words(self, who) -> str:
        """`mem, which holds at most 3`"""
        name = self.name(who)
        return who if name is None else f"{who}, which holds at most {self.all[name].most:,}"

    def full(self, name) -> bool:
        return self.all[name].held >= self.all[name].most

    def turns(self, name, calls) -> int:
        """After how many turns it is full, if each puts in as much as these did on average."""
        held, most = self.all[name]
        return ceil(most * calls / held)

    def wanted(self, whos, calls) -> int:
        """How many turns more show what these hold when they are full, where these are few."""
        names = {self.name(who) for who in whos} - {None}
        spans = [self.turns(name, calls) for name in names]
        return max([span + 1 - calls for span in spans if span <= FEW], default=0)

    def hints(self, whos, calls) -> list:
        """A line for each that is not full."""
        names = dict.fromkeys(name for name in map(self.name, whos) if name is not None)
        return [
            f"{name} is not full yet: whoholds.grows(step, turns={self.turns(name, calls) + 1}) "
            "tells what grows when it is"
            for name in names
            if not self.full(name)
        ]


def _leads_into(name, who) -> bool:
    name, of, module = name.partition(" of ")
    rest = who.removeprefix(name)
    return who.startswith(name) and (not rest or rest[0] in "[, ") and of + module in rest


class Windows(NamedTuple):
    """Tells what only the last turns have in something that is full."""

    bounds: Bounds
    paths: Paths
    born: dict
    ends: list
    growing: Growing

    def moved(self, who, place=None) -> bool:
        """Whether what was made there first is out of it again; without a place: of its nodes."""
        name = self.bounds.name(who)
        if name is None or not self.bounds.full(name):
            return False
        alive = [thing for thing in self.born if self._is_in(thing, name, place)]
        places = {self.born[thing][1] for thing in alive}
        kind = "s" if place else "n"
        made = [n for thing, (n, at) in self.born.items() if at in places and thing[0] == kind]
        first = [self.born[thing][0] for thing in alive]
        return bool(alive) and bisect(self.ends, min(made)) < bisect(self.ends, min(first))

    def _is_in(self, thing, name, place) -> bool:
        """What was made too long ago for its holder to be known may be in it."""
        facts = self.paths.facts(thing)
        if not facts or (thing[0] == "s") != bool(place) or facts.get("name") == LEAF_HOLDER:
            return False
        if place and self.born[thing][1] != place:
            return False
        known = thing in self.growing.of
        return not known or _leads_into(name, self.growing.holder(thing)[0])
