"""What one run of a program says of itself, as plain data that keeps nothing alive.

To the last bit: arrays, tensors, the nodes of a graph with all that they remember, the bytes after
each step, and every event that an observer is told of. Two runs are the same if they say the same.
"""

import weakref

import numpy as np

from course.twin.compare import clean
from minigrad import gpu
from minigrad.core import storage
from minigrad.core.arrays import on_host
from minigrad.core.node import AccumulateGrad, Node, newer
from minigrad.core.observer import EVENTS, Observer
from minigrad.core.storage import Storage
from minigrad.core.tensor import Tensor
from minigrad.memory.saves import nodes


class Names:
    """Numbers for objects, in the order in which they are first seen; it holds none of them."""

    def __init__(self):
        self.seen: dict = {}
        self.count = 0

    def __call__(self, thing) -> int:
        seen, number = self.seen.get(id(thing), (lambda: None, 0))
        if seen() is not thing:  # another one, now dead, had this address
            self.count += 1
            number = self.count
            self.seen[id(thing)] = weakref.ref(thing), number
        return number


class Told:
    """A report for tests/twin/programs.py: entries [label, data]."""

    def __init__(self):
        self.entries, self.names = [], Names()
        self.start, self.first = storage.live, next(newer)
        self.used = {card: card.used() for card in gpu.started}
        storage.reset_peak()

    def __call__(self, label, value):
        self.entries.append([label, self.plain(value)])

    def live(self, label):
        self(f"{label}: live", storage.live - self.start)
        for card in gpu.started:
            self(f"{label}: used on the card", card.used() - self.used.get(card, 0))

    def peak(self, label):
        self(f"{label}: peak", storage.peak - self.start)
        storage.reset_peak()

    def error(self, label, function, *args, **kwargs):
        try:
            function(*args, **kwargs)
        except Exception as error:
            self(label, error)
        else:
            self(label, "passes")

    def graph(self, label, tensor):
        """Every node below the tensor: its edges, and what it remembers."""
        for node in nodes(tensor):
            self(label, [node, self.own(node)])

    def own(self, node) -> dict:
        """What it remembers that another of its class may not; its order is shown with it."""
        kind, facts = type(node), vars(node).items()
        return {k: v for k, v in facts if k != "_order" and v is not getattr(kind, k, node)}

    def plain(self, value):
        """`value` as data."""
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, Node):
            return type(value).__name__, self.names(value), self.order(value)
        if isinstance(value, Storage):
            return self.names(value), value.bytes, value.version, type(value).__name__
        if isinstance(value, BaseException):
            return type(value).__name__, clean(str(value))
        if isinstance(value, dict):
            return {str(key): self.plain(item) for key, item in value.items()}
        if isinstance(value, (tuple, list)):
            return type(value).__name__, [self.plain(item) for item in value]
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            # an error that was seen: its bytes are an address
            return self.plain(value.item())
        if hasattr(value, "nbytes"):
            return bits(value)
        if isinstance(value, (type(None), bool, int, float, str)):
            return type(value).__name__, repr(value)
        return getattr(value, "__name__", type(value).__name__)

    def order(self, node) -> int:
        """How many orders were given out before the node's, since the start."""
        return 0 if isinstance(node, AccumulateGrad) else self.first - node._order

    def tensor(self, t) -> dict:
        base = None if t._base is None else self.names(t._base)
        return {
            "tensor": self.names(t), "values": bits(t._array), "storage": self.plain(t._storage),
            "edge": self.plain(t._edge), "was": self.plain(t._was),
            "base": base, "kind": t._view_kind,
            "views": len(t._views or ()), "left": t._detached < 0,
        }  # fmt: skip


def bits(array) -> tuple:
    """An array to the last bit, where its elements stand, and whether the bytes are its own."""
    where = type(array).__name__, array.strides, array.base is None
    return str(array.dtype), array.shape, where, on_host(array).tobytes()


def teller(event):
    def tell(self, *args):
        self.out(event, [storage.live - self.out.start, storage.peak - self.out.start, *args])

    return tell


class Everything(Observer):
    """Hears every event, and passes on what it was told, and the bytes at that moment."""

    def __init__(self, out):
        self.out = out

    for event in EVENTS:
        locals()[event] = teller(event)
