"""The Python objects behind the cards of a torch recording, as far as there are any.

What PyTorch holds in C++ alone has no Python object that refers to it.
"""

from __future__ import annotations

import gc
from pathlib import Path

import torch

from whoholds.holders.reach import RUNNING
from whoholds.holders.unasked import of_class, own_dict
from whoholds.on_torch.parts import address_of, alive, followed, grad_of, node_of, packed, plain
from whoholds.on_torch.several import parts_of

HERE = str(Path(torch.__file__).parent)


class Objects:
    """Finds objects by their numbers, and what they hold that has no arrow."""

    unknown = "something that Python does not tell of"
    running = f"{RUNNING}, or {unknown}"

    def __init__(self, recorder):
        self.recorder = recorder
        self.serial: dict = {"t": {}, "n": {}}

    def catch_up(self):
        """Note what has died."""
        self.recorder.catch_up()

    def inside(self, file) -> bool:
        """Is it one of PyTorch's?"""
        return file.startswith(HERE)

    def behind(self, base):
        """The tensor that an array was made of."""
        return base

    def objects(self, things, serial) -> dict:
        """{thing: object} of those that can be found."""
        self.serial = serial
        found = {card: value for card, value in self._cards() if card in things}
        nodes = {thing for thing in things.keys() - found.keys() if thing[0] == "n"}
        found |= _first(nodes, lambda node: [self.card(node)], _is_node)
        alone = self._alone(things)

        def on(one):  # what an array is on, or a view that nothing is told of
            if issubclass(type(one), torch.UntypedStorage):
                return alone.get(one._cdata, ())
            own = plain(one)
            return alone.get(address_of(own), ()) if not self.card(one) and followed(own) else ()

        def parts(one):  # of a sparse tensor: it holds them in C++, whatever object they have
            return [card for part in parts_of(one) for card in alone.get(address_of(part), ())]

        cards = {card for of in alone.values() for card in of}
        found |= _first(cards - found.keys(), on, _has_bytes)
        return found | _first(cards if self.recorder.several else (), parts, _is_tensor)

    def _alone(self, things) -> dict:
        """{address of a storage: the things on it that no card holds}."""
        numbers = [int(thing[1:]) for thing in things if thing[0] == "s" and not things[thing]]
        alone = {a: [f"s{n}"] for a, n in self.serial["s"].items() if n in numbers}
        for address, known in self.recorder.known.items():
            card = f"t{self.serial['t'].get(address)}"
            if card in things and not things[card]:
                alone.setdefault(known.facts[1], []).append(card)
        return alone

    def meet_others(self, storages) -> bool:
        """Tell of the tensors on these that nothing was told of: views, which are no new bytes."""
        on = {address for address, number in self.serial["s"].items() if number in storages}
        met = False
        for tensor in _objects(_is_tensor) if on else ():
            if self.card(tensor) is None and followed(tensor) and address_of(tensor) in on:
                self.recorder.meet_made(tensor)
                met = True
        return met

    def _cards(self):
        """Tensors, and the nodes that they lead to."""
        seen = set()
        for known in list(self.recorder.known.values()):
            for tensor in alive([known.ref]):
                yield self.card(tensor), tensor
                todo = [node_of(tensor)]
                while todo:
                    node = todo.pop()
                    card = node and self.card(node)
                    if card and card not in seen:
                        seen.add(card)
                        yield card, node
                        todo += [target for target, _ in node.next_functions]

    def card(self, value) -> str | None:
        """The thing that has this object's card."""
        if issubclass(type(value), torch.Tensor):
            letter, address = "t", value._cdata
        elif _is_node(type(value)):
            letter, address = "n", self.recorder.number_of(value)
        else:
            return None
        number = self.serial[letter].get(address)
        return f"{letter}{number}" if number else None

    def unseen(self, things):
        """(card, words, object) of what cards hold by attributes and hooks that Python knows.

        `things` are objects by their cards: among them a node that no tensor leads to.
        """
        rows = [
            *self._cards(),
            *((card, value) for card, value in things.items() if card[0] == "n"),
        ]
        for card, value in rows:
            for name, one in list(own_dict(value).items()):
                yield card, f".{name}", one
            for name in ("_backward_hooks", "_post_accumulate_grad_hooks"):
                for hook in (getattr(value, name, None) or {}).values():
                    yield card, ", a hook", hook
            if card[0] == "n":
                yield from ((card, words, one) for words, one in packed(value))
            elif (grad := grad_of(value)) is not None and parts_of(grad):
                yield card, ".grad", grad

    def mine(self) -> list:
        """What belongs to the recording, and not to the program."""
        return [self, vars(self), self.recorder, vars(self.recorder)]


def _is_node(kind) -> bool:
    return None not in (of_class(kind, "_sequence_nr"), of_class(kind, "next_functions"))


def _is_tensor(kind) -> bool:
    return issubclass(kind, torch.Tensor)


def _has_bytes(kind) -> bool:
    return issubclass(kind, torch.Tensor | torch.UntypedStorage)


def _first(cards, cards_of, wanted) -> dict:
    """{card: object} of these cards, as far as some Python object refers to it.

    Young objects are looked at first: they are few, and a program that is recorded made them.
    """
    found: dict = {}
    for generation in range(3 if cards else 0):
        of_kind = _objects(wanted, generation)
        rows = ((card, one) for one in of_kind for card in cards_of(one) if card in cards)
        found = dict(rows) | found
        if len(found) == len(cards):
            break
    return found


def _objects(wanted, generation=None) -> list:
    """All objects that Python knows of such kinds; or those of one generation."""
    gc.unfreeze()  # or some would be out of sight
    things = gc.get_objects(generation)
    kinds = {kind for kind in set(map(type, things)) if wanted(kind)}
    return [thing for thing in things if type(thing) in kinds]
