"""minigrad's recorder that also tells who holds what no arrow leads to.

A stepper has it told after each line, a recording at its end.
"""

from __future__ import annotations

import functools

from minigrad.core import frames as engine
from minigrad.core.hooks import Hooks
from minigrad.core.node import Node
from minigrad.core.packing import Packed
from minigrad.core.storage import Exported, Storage
from minigrad.core.tensor import Tensor
from minigrad.memory.budgets import living
from minigrad.memory.saves import slot_names
from minigrad.optim.hooks import KINDS, PLACE
from whoholds.events import Trace
from whoholds.holders.held import Finder
from whoholds.holders.reach import RUNNING
from whoholds.on_minigrad.recorder import Recorder

DRAWN = {*"_array _base _edge _was _grad _storage next_functions _saved variable".split()}
HOOKS = {"_hooks", "_tensor_hooks", "_grad_hooks", *map(PLACE.format, KINDS)}


class StepRecorder(Recorder):
    """`trace()` has the holders, too."""

    finder: Finder | None = None
    leaving = False
    ending: BaseException | None = None  # what ended the snippet, while the last look is taken

    def look(self, frame, begins=False):
        super().look(frame, begins)
        if self.finder is None:
            self.finder = Finder(self, Objects(self), self.live, self.older)
        if self.stepping or self.leaving:
            self.finder.look(frame.f_globals, self.leaving, self.ending)

    def __exit__(self, kind, error, traceback):
        self.leaving, self.ending = True, error
        super().__exit__(kind, error, traceback)
        self.ending = None

    def trace(self, source="", title="") -> Trace:
        trace = super().trace(source, title)
        trace.bounds = self.finder.bounds if self.finder else {}
        return trace

    def told(self) -> list:
        return self.finder.events() if self.finder else []


class Objects:
    """The objects behind the cards of a recording, and what they hold that has no arrow."""

    running, unknown = RUNNING, "something that Python does not tell of"
    inside = staticmethod(functools.cache(engine.inside))

    def __init__(self, recorder):
        self.recorder = recorder
        self.serial: dict = {"t": {}, "n": {}, "s": {}}

    def catch_up(self):
        """Nothing: what dies is noted at once."""

    def meet_others(self, storages) -> bool:
        """None: each tensor was met when it was made."""
        return False

    def behind(self, base):
        """The Storage that an array was exported from."""
        return base._storage if isinstance(base, Exported) else base

    def objects(self, things, serial) -> dict:
        """{thing: object} of those that can be found."""
        self.serial = serial
        found = {thing: value for thing, value in self._cards() if thing in things}
        alone = {a for a, n in serial["s"].items() if things.get(f"s{n}") == set()}
        for storage in living(Storage) if alone else ():
            if id(storage) in alone:
                found[f"s{serial['s'][id(storage)]}"] = storage
        return found

    def _cards(self):
        for letter, refs in ("t", self.recorder.tensors), ("n", self.recorder.nodes):
            for address, number in list(self.serial[letter].items()):
                ref = refs.get(address)
                if ref is not None and (value := ref()) is not None:
                    yield f"{letter}{number}", value

    def card(self, value) -> str | None:
        """The thing that has this object's card."""
        kind = type(value)
        letter = "t" if issubclass(kind, Tensor) else "n" if issubclass(kind, Node) else ""
        number = self.serial[letter].get(id(value)) if letter else None
        return f"{letter}{number}" if number else None

    def unseen(self, things):
        """(card, words, object) of what cards hold by attributes, hooks, and pack hooks."""
        for card, value in self._cards():
            for name, one in list(vars(value).items()):
                if name in HOOKS:
                    yield from ((card, ", a hook", hook) for hook in hooks_in(one))
                elif name not in DRAWN:
                    yield card, f".{name}", one
            if card[0] == "n" and type(value._saved) is list:
                for slot, entry in zip(slot_names(value), value._saved, strict=False):
                    if type(entry) is Packed:
                        yield card, f".{slot}, as a pack hook left it", entry.content

    def mine(self) -> list:
        """What belongs to the recording, and not to the program."""
        return [self, vars(self), self.recorder, vars(self.recorder)]


def hooks_in(found) -> list:
    """The functions of a dict {id: hook}, or of a node's Hooks."""
    if isinstance(found, Hooks):
        parts = *found.tensor.values(), found.pre, found.post
        return [hook for part in parts for hook in hooks_in(part)]
    return list((found or {}).values())
