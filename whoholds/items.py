"""`cache[...]` for `cache['step1']`, where another turn has put something under another key."""

from __future__ import annotations

import re
from collections import defaultdict

ITEM = re.compile(
    r"""\[(?:-?\d+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]"""  # a number, or a string as typed
)


def in_one_form(rows) -> dict:
    """{(place, name): the name in which "[...]" stands for what is another item in another turn};
    `rows` are (place, turn, name) of the holders.

    An item that leads to things of all turns is told as it is: two lists in one dict are two.
    """
    alike: dict = defaultdict(lambda: defaultdict(set))  # place and words -> items -> turns
    for place, turn, name in rows:
        alike[place, *ITEM.split(name)][*ITEM.findall(name)].add(turn)
    found = {}
    for (place, *words), turns in alike.items():
        columns = [_passing(turns, i) for i in range(len(words) - 1)]
        for items in turns:
            told = ["[...]" if one in of else one for one, of in zip(items, columns, strict=True)]
            found[place, _name(words, items)] = _name(words, told)
    return found


def _passing(turns, number) -> set:
    """Those of the items at this number in the names that others have taken the place of."""
    of: dict = defaultdict(set)
    for items, some in turns.items():
        of[items[number]] |= some
    ever = set().union(*of.values())
    passing = {item for item in of if of[item] != ever}
    return passing if len({frozenset(of[item]) for item in passing}) > 1 else set()


def _name(words, items) -> str:
    return "".join(part for pair in zip(words, [*items, ""], strict=True) for part in pair)
