"""Tensors copied outside of the graph: copy.copy, copy.deepcopy, pickle.

As in PyTorch, it is the Storage that is copied or stored, all of it, and the tensor is laid on it
again as it was: what was a view of a large tensor stays as large, and keeps its strides. What
shared bytes shares them in a copy.copy and in one deepcopy, but not in a pickle.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from minigrad.core import arrays, backend, observer
from minigrad.core.dtypes import device
from minigrad.core.frames import warn
from minigrad.core.node import NOWHERE
from minigrad.core.storage import Alias, Storage, book
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.reading import read, seen

FIRST_VERSION = 1  # PyTorch lays the new tensor on its bytes by an in-place write, and counts it


@attach
class Pickling(Tensor):
    """Methods of Tensor."""

    def __copy__(self):
        """A new leaf on the very bytes."""
        _warn_of_hooks(self)
        out = laid(type(self), _alias(self._storage), self._array, self._requires_grad)
        out.__dict__.update(notes(self))
        return out

    def __deepcopy__(self, memo):
        """A new leaf, and a copy of the Storage: one for all tensors of this deepcopy on it."""
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(messages.DEEPCOPY)
        storage, array = _copied(self, memo.setdefault("minigrad", {}))
        out = memo[id(self)] = laid(type(self), storage, array, self._requires_grad)
        if self._grad is not None:
            out._grad = self._grad.__deepcopy__(memo)
        out.__dict__.update(copy.deepcopy(notes(self), memo))  # vars() lends a learner a copy
        return out

    def __reduce_ex__(self, protocol):
        _warn_of_hooks(self)
        held = Held(self._storage.owner)
        array = read(self)
        layout = _offset(self), array.shape, array.strides, array.dtype.str
        return _rebuilt, (type(self), held, layout, self._requires_grad), notes(self) or None

    def __setstate__(self, state):
        vars(self).update({k: v for k, v in state.items() if k not in OF_THE_ENGINE})


def notes(tensor) -> dict:
    """The attributes that the program has given a tensor."""
    return {k: v for k, v in vars(tensor).items() if k not in OF_THE_ENGINE}


OF_THE_ENGINE = {*vars(Tensor), *Tensor.__annotations__}


def laid(kind, storage, array, requires_grad):
    """A leaf of the class `kind` on these bytes."""
    out = object.__new__(kind)
    out._array, out._storage = array, storage
    out._edge = None if requires_grad else NOWHERE
    storage.version = FIRST_VERSION
    for tell in observer.on_made:
        tell(out, not isinstance(storage, Alias))
    return out


def _alias(storage) -> Alias:
    """The same bytes; writes are counted anew."""
    return Alias(storage.owner)


def _offset(tensor) -> int:
    """Where its first element lies in its Storage, in bytes."""
    return arrays.address(tensor._array) - arrays.address(tensor._storage.array)


def _flat(array) -> Any:
    """All elements of an array that owns its bytes, in the order in which they lie there."""
    return arrays.strided(array, (array.size,), (array.itemsize,))


def _shown(flat, offset: int, shape, strides, dtype):
    """What a tensor of that layout sees of a flat array."""
    rest, dtype = flat.view(np.uint8)[offset:], np.dtype(dtype)
    rest = rest[: rest.size // dtype.itemsize * dtype.itemsize].view(dtype)
    return arrays.strided(rest, shape, strides)


def _copied(tensor, copies: dict) -> tuple:
    """A copy of the tensor's Storage, and the array on it; `copies` has those made so far."""
    owner, array = tensor._storage.owner, tensor._array
    if array.__class__ is not owner.array.__class__:  # a recording's stand-in; another library's
        alone = tensor._new(array.copy("K"))
        return alone._storage, alone._array
    storage = _alias(copies[owner]) if owner in copies else book(_flat(owner.array).copy())
    copies.setdefault(owner, storage)
    return storage, _shown(storage.array, _offset(tensor), array.shape, array.strides, array.dtype)


class Held:
    """A Storage on its way into a pickle: a new one each time, so that pickle sees no sharing."""

    def __init__(self, storage: Storage):
        self.storage, self.used = storage, False

    def taken(self) -> Storage:
        """The Storage, for one tensor; for others the same bytes, writes counted anew."""
        first, self.used = not self.used, True
        return self.storage if first else _alias(self.storage)

    def __reduce__(self):
        return _loaded, _content(self.storage)


def _content(storage) -> tuple:
    """What a pickle keeps of a Storage: no array, which a file of weights may not have."""
    flat = arrays.on_host(_flat(storage.array))
    return flat.tobytes(), flat.dtype.str, arrays.device_of(storage.array).type


def _loaded(*content) -> Held:
    return Held(_loaded_storage(*content))


def _rebuilt(kind, held, layout, requires_grad):
    """The tensor that __reduce_ex__ has taken apart."""
    return laid(kind, held.taken(), _shown(held.storage.array, *layout), requires_grad)


def _warn_of_hooks(tensor) -> None:
    """Hooks stay behind, and PyTorch says so of those on the gradient."""
    hooks: dict = tensor._tensor_hooks or {}
    if tensor.grad_fn is not None and tensor.grad_fn._hooks is not None:
        hooks = tensor.grad_fn._hooks.tensor.get(tensor.output_nr, {})
    for hook in hooks.values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(messages.HOOK_STAYS.format(hook))


def _storage_copy(storage, memo=None):
    """What copy and deepcopy make of a Storage."""
    copies = {} if memo is None else memo.setdefault("minigrad", {})
    owner = storage.owner
    if owner not in copies:
        copies[owner] = book(_flat(owner.array).copy())
    return copies[owner]


def _storage_reduced(storage):
    seen((storage := storage.owner).array)
    return _loaded_storage, _content(storage)


def _loaded_storage(content, kind: str, where: str) -> Storage:
    flat = np.frombuffer(content, kind).copy() if content else np.empty(0, kind)
    return book(backend.placed(flat, device(where)))


Storage.__copy__ = Storage.__deepcopy__ = _storage_copy  # type: ignore[attr-defined]
Storage.__reduce__ = _storage_reduced  # type: ignore[method-assign, assignment]
