"""Containers that say themselves how much they hold at most: `deque(maxlen=3)`, `lru_cache`."""

from __future__ import annotations

import functools
import gc
import re
from collections import deque
from typing import NamedTuple

from whoholds.holders.paths import NAME
from whoholds.holders.unasked import PLAIN
from whoholds.places import library

KINDS = deque, functools._lru_cache_wrapper
LAST = re.compile(r"\[\d+\](?= of |$)")  # one of several in a list: who holds is told without it


class Bound(NamedTuple):
    """So many things are in it, of at most so many."""

    held: int
    most: int


def bounded(engine) -> dict:
    """{a number: container} of the program's that may hold what has bytes."""
    gc.unfreeze()  # or some would be out of sight
    things = gc.get_objects()
    kinds = {kind for kind in set(map(type, things)) if issubclass(kind, KINDS)}
    found = [one for one in things if type(one) in kinds and _has_bound(one, engine)]
    return {f"b{i}": one for i, one in enumerate(found)}


def _has_bound(one, engine) -> bool:
    if issubclass(type(one), deque):
        most, held = deque.maxlen.__get__(one), deque.__len__(one)
        return most is not None and held > 0 and type(deque.__getitem__(one, -1)) not in PLAIN
    file = getattr(getattr(one.__wrapped__, "__code__", None), "co_filename", "<frozen")
    theirs = library(file) or engine.inside(file)
    return not theirs and bool(one.cache_info().maxsize and one.cache_info().currsize)


def named(things, found) -> dict:
    """{name: Bound} of these containers, from the words of a Reach; not of one of several."""
    return {
        words.removeprefix(NAME): _bound(things[thing])
        for thing, by in found.items()
        for card, words in by
        if card is None and words.startswith(NAME) and not LAST.search(words)
    }


def _bound(one) -> Bound:
    if issubclass(type(one), deque):
        return Bound(deque.__len__(one), deque.maxlen.__get__(one))
    return Bound(one.cache_info().currsize, one.cache_info().maxsize)
