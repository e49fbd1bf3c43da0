"""A tiny GPU: the storage that does not fit any more raises an error, as on a real one.

It counts every living byte except parameters and their `.grad`, so that a lesson's arithmetic is
about activations. It knows the ledger and the heap, and nothing of devices.
"""

from __future__ import annotations

import gc
import weakref

from minigrad.core import storage
from minigrad.core.messages import OutOfMemoryError
from minigrad.core.node import Node
from minigrad.core.observer import Observer
from minigrad.core.tensor import Tensor
from minigrad.memory.saves import slot_names, tensors_in

OUT_OF_MEMORY = "out of memory: tried to allocate {} bytes, but {} of the budget of {} are in use"


class budget(Observer):
    """`with memory.budget(bytes):` no more than so many bytes at once inside the block."""

    def __init__(self, bytes: int):
        if not isinstance(bytes, int) or bytes < 0:
            raise ValueError(f"a budget is a number of bytes, 0 or more, but got {bytes!r}")
        self.bytes = bytes
        self.exempt: dict = {}  # weak reference to the storage of a parameter or .grad -> bytes
        self.spared = 0  # their sum
        me = weakref.proxy(self)  # what is spared must not keep the budget
        self.lost = lambda ref: me._lost(ref)

    @property
    def used(self) -> int:
        """Bytes that count, now."""
        self._find_exempt()
        return self._counted()

    def admit(self, size):
        if self._counted() + size > self.bytes:
            self._find_exempt()
            if self._counted() + size > self.bytes:
                raise self._error(size)

    def accumulated(self, leaf):
        """A new .grad is met here, without a look at the whole heap."""
        self._exempt(leaf._grad._storage)

    def _counted(self) -> int:
        return storage.live - self.spared

    def _exempt(self, owner) -> None:
        if (ref := weakref.ref(owner, self.lost)) not in self.exempt:
            self.exempt[ref] = owner.bytes
            self.spared += owner.bytes

    def _lost(self, ref) -> None:
        self.spared -= self.exempt.pop(ref)

    def _find_exempt(self) -> None:
        for t in living(Tensor):
            if t.is_leaf and t._requires_grad:
                self._exempt(t._storage)
                if t._grad is not None:
                    self._exempt(t._grad._storage)

    def _error(self, size) -> OutOfMemoryError:
        text = OUT_OF_MEMORY.format(size, self._counted(), self.bytes)
        error = OutOfMemoryError(f"{text} (parameters and their .grad do not count)")
        for line in biggest_holders():
            error.add_note(line)
        return error


def biggest_holders(most: int = 4) -> list:
    """`node TanhBackward0 holds 8192 bytes (result)`: the nodes that have saved most."""
    rows = []
    for node in [n for n in living(Node) if isinstance(n._saved, list)]:
        for name, entry in zip(slot_names(node), node._saved, strict=False):
            for tensor in tensors_in(entry):
                if not (tensor._requires_grad and tensor.is_leaf):
                    rows.append((tensor._storage.nbytes(), type(node).__name__, name))
    rows.sort(reverse=True)
    return [f"node {node} holds {size} bytes ({name})" for size, node, name in rows[:most]]


def living(kind) -> list:
    """All objects of this kind, those too that gc.freeze() has put out of the collector's sight."""
    gc.unfreeze()
    return [thing for thing in gc.get_objects() if issubclass(type(thing), kind)]
