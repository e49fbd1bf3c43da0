"""Who is on the bytes of a minigrad tensor, and how tensors and nodes hold each other."""

from __future__ import annotations

import numpy as np

from minigrad.core.node import Node
from minigrad.core.packing import Packed
from minigrad.core.tensor import Tensor
from minigrad.memory.saves import slot_names, tensors_in
from minigrad.nn.module import Module
from minigrad.optim import Optimizer
from whoholds.holders.edges import attribute, of_optimizer
from whoholds.holders.unasked import own_dict
from whoholds.on_minigrad.names import owned
from whoholds.on_minigrad.stepping import HOOKS, hooks_in

OF_TENSOR = {"_array", "_storage", "_edge", "_was", "_grad", "_base"}
OF_NODE = {"_saved", "next_functions"}


class BytesOf:
    """The bytes of one tensor: `on_bytes(value)` and `edges(value)`, for a search of holders."""

    def __init__(self, tensor):
        self.tensor, self.owner = tensor, _owner(tensor)
        self.names: dict = {}  # address of a parameter -> its name in a module

    def on_bytes(self, value) -> str | None:
        """What to say of a value on these bytes; None if it is not on them."""
        kind = type(value)
        if issubclass(kind, Tensor):
            if _owner(value) is not self.owner:
                return None
            mine, theirs = self.tensor._array, value._array
            alike = mine.shape == theirs.shape and mine.strides == theirs.strides
            return "" if alike else " (on the same bytes)"
        if issubclass(kind, np.ndarray) and isinstance(self.tensor._array, np.ndarray):
            return "" if np.may_share_memory(value, self.tensor._array) else None
        return None

    def edges(self, value):
        """(words, object) of what only minigrad can tell; None where Python can."""
        kind = type(value)
        if issubclass(kind, Tensor):
            return self._of_tensor(value)
        if issubclass(kind, Node):
            return self._of_node(value)
        if issubclass(kind, Module):
            self.names |= {id(one): name for _, name, one in owned(value)} | self.names
        if issubclass(kind, Optimizer):
            return of_optimizer(value, self.names)
        return None

    def _of_tensor(self, tensor):
        found = _attributes(tensor, OF_TENSOR)
        named = (".grad", tensor._grad), ("._base", tensor._base), (".grad_fn", tensor._node)
        return found + [(words, one) for words, one in named if one is not None]

    def _of_node(self, node):
        name = type(node).__name__
        found = _attributes(node, OF_NODE)
        saved = node._saved if isinstance(node._saved, list) else []
        for slot, entry in zip(slot_names(node) if saved else (), saved, strict=False):
            word = f".saved_tensors{slot}" if slot.startswith("[") else f"._saved_{slot}"
            if type(entry) is Packed:
                found.append((f"{word}, as a pack hook left it", entry.content))
            else:
                found += [(f"{word} ({name})", one) for one in tensors_in(entry)]
        rows = enumerate(node.next_functions)
        return found + [(f".next_functions[{i}][0]", n) for i, (n, _) in rows if n is not None]


def _attributes(value, others):
    """Attributes and hooks; `others` are the names that are told in their own way."""
    found = []
    for name, one in own_dict(value).items():
        if name in HOOKS:
            found += [(", a hook", hook) for hook in hooks_in(one)]
        elif name not in others:
            found.append((attribute(name), one))
    return found


def _owner(tensor):
    """The storage that has the bytes; None of a tensor that has been taken apart."""
    return getattr(getattr(tensor, "_storage", None), "owner", None)
