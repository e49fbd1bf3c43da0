"""The bytes and cards of the learner's world: the trace, and what the learner's hand changed.

A saved slot that is still held keeps its storage, though the engine gave it back; one that was
dropped keeps nothing, though the engine still had it. Everything else is as the trace tells.
"""

from __future__ import annotations

from typing import Any

from whoholds.events import shown
from whoholds.state import State

ONLY_SAVED = dict(leaves=0, grads=0, saves=0, inputs=0, results=0, version=0, flight=False)


class World(State):
    """The trace's State, and the (node, slot)s that the learner has dropped."""

    def __init__(self, survivors=()):
        super().__init__()
        self.survivors = set(survivors)  # tensors that somebody out of sight holds
        self.dropped: set = set()
        self.sizes: dict = {}  # of every storage there ever was
        self.releasing: Any = None  # its node lets go now, as the trace tells: nothing to foresee

    def _born(self, e):
        super()._born(e)
        self.sizes[e["storage"]] = e["size"]

    def held(self, node) -> list:
        """The names of the slots that a node still holds, each once."""
        slots = self.nodes[node]["slots"] if node in self.nodes else []
        return list(
            dict.fromkeys(s["slot"] for s in slots if (node, s["slot"]) not in self.dropped)
        )

    def bytes(self, event) -> int:
        """What is alive after `event`, the last one that was applied."""
        late = sum(self.sizes[number] for number in self.late())
        return shown(event) + late - sum(self.sizes[number] for number in self.early())

    def late(self) -> set:
        """The storages that nobody but the learner holds."""
        kept, _ = self._chips()
        return {n for n in kept if n in self.sizes and n not in self.storages}

    def early(self) -> set:
        """The storages that would be gone already: only slots held them, and were dropped."""
        kept, gone = self._chips()
        return {n for n in gone if n in self.storages and n not in kept and self._forlorn(n, gone)}

    def _chips(self):
        """{storage: slots} of the slots held, and of those dropped before the engine did."""
        kept: dict = {}
        gone: dict = {}
        for number, node in self.nodes.items():
            for slot in node["slots"]:
                if (number, slot["slot"]) not in self.dropped:
                    kept.setdefault(slot["storage"], []).append(slot)
                elif number != self.releasing and not node["freed"]:
                    gone.setdefault(slot["storage"], []).append(slot)
        return kept, gone

    def _forlorn(self, number, gone) -> bool:
        """Whether neither a name, nor a leaf, nor a walk holds a storage, and no other slot."""
        s = self.storages[number]
        if s["leaves"] or s["grads"] or s["flight"]:
            return False
        saved = {slot["tensor"] for slot in gone[number]} - self.survivors
        named = {target for targets in self.names.values() for target in targets}
        on_it = {n for n, tensor in self.tensors.items() if tensor["storage"] == number}
        return on_it <= saved and not any(f"t{n}" in named for n in on_it)

    # -- for drawing --

    def drawn(self) -> dict:
        """Plain data: what a view's State has, with what the learner did in it."""
        kept, _ = self._chips()
        gone = self.early()
        storages = {n: dict(s) for n, s in self.storages.items() if n not in gone}
        storages |= {n: dict(ONLY_SAVED, size=self.sizes[n]) for n in self.late()}
        for number, storage in storages.items():
            storage["saves"] = len(kept.get(number, ()))
        tensors = [[n, dict(t)] for n, t in self.tensors.items() if t["storage"] not in gone]
        return dict(
            names=[[name, list(targets)] for name, targets in self.names.items()],
            tensors=tensors, storages=[[n, s] for n, s in storages.items()],
            nodes=[[n, self._node_drawn(n)] for n in self.nodes],
            walking=self.walking, here=self.here, line=self.line, played=True,
        )  # fmt: skip

    def _node_drawn(self, number) -> dict:
        node = self.nodes[number]
        held = self.held(number)
        slots = [dict(s, held=s["slot"] in held) for s in node["slots"]]
        for slot in slots:
            slot["storage"] = slot["storage"] if slot["held"] else None
        return dict(node, slots=slots, freed=False)
