"""A large trace, folded: a row for each turn and each group of cards; the lanes are those of one.

The twin of folds.js, for the page and the picture.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from whoholds.views.layout import TALL, layouts, placed
from whoholds.views.look import ELSEWHERE
from whoholds.views.split import Split

KEPT = "kept from turn to turn"


@dataclass
class Row:
    """What is alive in a turn (`group` is None), or in one of its groups."""

    title: str
    turn: int
    group: int | None = None
    bytes: list = field(default_factory=lambda: [0] * ELSEWHERE)  # by category
    storages: int = 0
    nodes: int = 0
    saving: int = 0  # of the nodes, those with saved tensors
    open: bool = False  # whether the lanes are of this group


class Folds:
    """`groups` are dicts of turn, title, head and layouts, those of the last turn first.

    The first group of a turn has its head, if there are several turns, the others "". There are no
    groups if the trace's own lanes, `whole`, are low enough to be shown.
    """

    def __init__(self, trace, whole=None):
        self.groups: list = []
        if min(one["height"] for one in whole or layouts(trace)) <= TALL:
            return
        split = Split(trace)
        cards, seen = split.groups, split.seen
        order = sorted(seen, key=lambda group: -group[0])
        for i, (turn, title) in enumerate(order):
            first = bool(cards.begins) and (i == 0 or order[i - 1][0] != turn)
            head = (f"{cards.unit} {turn}" if turn else KEPT) if first else ""
            lanes = [placed(seen[turn, title])]
            self.groups.append(dict(turn=turn, head=head, title=title, layouts=lanes))
        number = {group: i for i, group in enumerate(order)}
        self.storages = {n: number[group] for n, group in cards.storages.items()}
        self.nodes = {n: number[group] for n, group in cards.nodes.items()}

    def follow(self, state, event) -> int | None:
        """The group in which an event happens: in a walk, that of the node that it is at."""
        by_node = self.nodes.get(state.here or event.get("node"))
        return self.storages.get(event.get("storage")) if by_node is None else by_node

    def part(self, state, group):
        """The state, of the cards of one group alone."""
        part = copy.copy(state)
        part.storages = {n: s for n, s in state.storages.items() if self.storages[n] == group}
        part.nodes = {n: node for n, node in state.nodes.items() if self.nodes[n] == group}
        part.names = {name: to for name, to in state.names.items() if any(_in(t, part) for t in to)}
        return part

    def rows(self, state, group) -> list:
        """A Row for each turn that is alive in part, and for such groups of the turn of `group`."""
        found = []
        for i, one in enumerate(self.groups):
            if one["head"]:
                found.append(Row(one["head"], one["turn"]))
            found.append(Row(one["title"], one["turn"], i, open=i == group))
        heads = {row.turn: row for row in found if row.group is None}
        groups = {row.group: row for row in found if row.group is not None}
        for cards, of in (state.storages, self.storages), (state.nodes, self.nodes):
            for number, card in cards.items():
                own = groups[of[number]]
                for row in filter(None, (own, heads.get(own.turn))):
                    _add(row, state, number, card)
        turn = groups[group].turn
        unfolded = [row for row in found if row.group is None or row.turn == turn]
        return [row for row in unfolded if row.storages or row.nodes or row.open]


def _add(row, state, number, card):
    if "size" in card:
        row.bytes[state.category(number)] += card["size"]
        row.storages += 1
    else:
        row.nodes += 1
        row.saving += bool(card["slots"]) and not card["freed"]


def _in(target, part) -> bool:
    number = int(target[1:])
    if target[0] == "n":
        return number in part.nodes
    return part.tensors.get(number, {}).get("storage") in part.storages
