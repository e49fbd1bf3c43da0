"""What each turn makes anew, and larger: `cache = cat([cache, new])` lives for one turn alone."""

from __future__ import annotations

from itertools import chain, takewhile
from typing import NamedTuple

ENDS = 4  # turns that end with as much more than the one before: no batch does so by chance
MANY = 7  # or turns of which each ends with more than the one before
OVER = {"kind": "over"}


class Remade(NamedTuple):
    """What is made anew in each turn on one line, all of it or one part that the others are beside:
    the bytes with which each turn ends, and what the last one has made, as "s7".
    """

    place: str
    sizes: list
    last: str
    alone: bool  # a part


def at_ends(events, marks, place_of) -> list:
    """The Remade of what lives after these events; `marks` are those with which turns end."""
    ends, turns = set(marks), []
    made: dict = {}  # of the turn: place -> {storage: bytes}
    there: dict = {}  # storage: its place
    alive: dict = {}  # place -> {storage: bytes}
    for number, event in enumerate(chain(events, [OVER])):
        if number in ends:
            turns.append(made)
            made = {}
        if event["kind"] == "born":
            place = there[event["storage"]] = place_of(event)
            for found in made, alive:
                found.setdefault(place, {})[event["storage"]] = event["size"]
        elif event["kind"] == "died" and event["storage"] in there:
            place = there.pop(event["storage"])
            for found in made, alive:
                found.get(place, {}).pop(event["storage"], None)
    return [one for place, living in alive.items() if living
            for one in _parts(place, [turn.get(place, {}) for turn in turns], living)]  # fmt: skip


def _parts(place, turns, living) -> list:
    """The part that each turn has made first, that it has made second, and so on, if they grow as
    all of it does; else all of it.
    """
    sizes = [sum(turn.values()) for turn in turns]
    many = len(turns[-1]) if turns else 0
    alike = [*takewhile(lambda turn: len(turn) == many, reversed(turns))][::-1]
    columns = [*zip(*(turn.items() for turn in alike), strict=True)] if many > 1 else []
    parts = [
        Remade(place, [size for _, size in column], f"s{column[-1][0]}", True)
        for column in columns
        if {storage for storage, _ in column} & living.keys() == {column[-1][0]}
    ]
    if parts and sum(more(one.sizes) for one in parts) == more(sizes):
        return parts
    _, last = max((size, storage) for storage, size in living.items())  # of alike ones the later
    return [Remade(place, sizes, f"s{last}", False)]


def more(sizes, ends=ENDS) -> int:
    """Bytes a turn by which these sizes have grown, or 0 if they have not."""
    steps = [after - before for before, after in zip(sizes, sizes[1:], strict=False)]
    last = steps[1 - ends :]
    if len(sizes) >= ends and last[0] > 0 and len(set(last)) == 1:
        return last[0]
    return sum(steps) // len(steps) if len(sizes) >= MANY and min(steps) > 0 else 0
