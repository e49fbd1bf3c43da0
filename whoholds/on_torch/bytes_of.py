"""Who is on the bytes of a PyTorch tensor, and what tensors, nodes and modules hold in C++."""

from __future__ import annotations

import sys

import torch

from whoholds.holders.edges import PARTS, of_optimizer, of_parts
from whoholds.holders.unasked import of_class, own_dict
from whoholds.on_torch.parts import (
    address_of,
    address_of_grad,
    followed,
    node_of,
    packed,
    plain,
    saved,
)
from whoholds.on_torch.several import parts_of

Module, Optimizer = torch.nn.Module, torch.optim.Optimizer
HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")


class BytesOf:
    """The bytes of one tensor: `on_bytes(value)` and `edges(value)`, for a search of holders."""

    def __init__(self, tensor):
        tensor = plain(tensor)
        if not followed(tensor):
            kind = str(tensor.layout).removeprefix("torch.")
            raise TypeError(f"a {kind} tensor has several storages: ask for one of its parts")
        self.address, self.layout = address_of(tensor), _layout(tensor)
        storage = tensor.untyped_storage()
        self.first, self.size = storage.data_ptr(), storage.nbytes()
        self.names: dict = {}  # address of a parameter -> its name in a module

    def on_bytes(self, value) -> str | None:
        """What to say of a value on these bytes; None if it is not on them."""
        kind = type(value)
        if kind is _On:
            return ""
        if issubclass(kind, torch.Tensor):
            if not self._same(value):
                parts = map(address_of, parts_of(plain(value)))
                return " (its bytes)" if self.address in parts else None
            return "" if _layout(value) == self.layout else " (on the same bytes)"
        if issubclass(kind, torch.UntypedStorage):
            return " (its storage)" if value._cdata == self.address else None
        numpy = sys.modules.get("numpy")
        if numpy is not None and issubclass(kind, numpy.ndarray):
            at = value.__array_interface__["data"][0]
            return "" if self.first <= at < self.first + max(self.size, 1) else None
        return None

    def _same(self, tensor) -> bool:
        tensor = plain(tensor)
        return followed(tensor) and address_of(tensor) == self.address

    def edges(self, value):
        """(words, object) of what only PyTorch can tell; None where Python can."""
        kind = type(value)
        if issubclass(kind, torch.Tensor):
            return self._of_tensor(plain(value))
        if of_class(kind, "next_functions") is not None:
            return self._of_node(value)
        if issubclass(kind, Module):
            return self._of_module(value)
        if issubclass(kind, Optimizer):
            return of_optimizer(value, self.names)
        return None

    def _of_tensor(self, tensor):
        found = [(f".{name}", one) for name, one in own_dict(tensor).items()]
        if followed(tensor) and address_of_grad(tensor) is not None:
            found.append((".grad", tensor.grad))
        if (base := tensor._base) is not None:
            found.append(("._base", base))
        if (node := node_of(tensor)) is not None:
            found.append((".grad_fn", node))
        for name in HOOKS:
            hooks = getattr(tensor, name, None) or {}
            found += [(", a hook", hook) for hook in hooks.values()]
        return found

    def _of_node(self, node):
        found = [(f".{name}", one) for name, one in own_dict(node).items()]
        for slot, tensor in saved(node):
            if self._same(tensor):
                word = f".saved_tensors{slot}" if slot.startswith("[") else f"._saved_{slot}"
                found.append((f"{word} ({type(node).__name__})", _On(self.address)))
        found += packed(node)
        if hasattr(node, "variable"):
            found.append((".variable", node.variable))
        rows = enumerate(node.next_functions)
        return found + [(f".next_functions[{i}][0]", n) for i, (n, _) in rows if n is not None]

    def _of_module(self, module):
        own = own_dict(module)
        self.names |= {address: name for name, address in _named(module)} | self.names
        found = of_parts(own)
        for name, one in own.items():
            if name.endswith("_hooks") and type(one) is not set and one:
                found += [(", a hook", hook) for hook in one.values()]
            elif name not in PARTS:
                found.append((f".{name}", one))
        return found


def _layout(tensor):
    return tensor.shape, tensor.stride(), tensor.storage_offset()


class _On:
    """Stands for a tensor that a node has saved, which has no Python object of its own."""

    def __init__(self, address):
        self.address = address


def _named(module, prefix=""):
    """(name, address) of the parameters of a module and of those in it."""
    own = own_dict(module)
    for name, one in (own.get("_parameters") or {}).items():
        yield prefix + name, id(one)
    for name, one in (own.get("_modules") or {}).items():
        yield from _named(one, f"{prefix}{name}.") if one is not None else ()
