"""Saved tensors in the care of hooks: pack when a node saves, unpack when it needs them back.

With this one seam, saved bytes can wait on the CPU, on disk, or be computed again.
"""

from __future__ import annotations

import weakref

from minigrad.core import modes
from minigrad.core.messages import PACK_IN_PLACE
from minigrad.core.modes import Block, leaving, no_grad
from minigrad.core.node import accumulator


class Packed:
    """A saved tensor in the care of a pair of hooks; an input comes back as part of its graph."""

    def __init__(self, hooks, tensor, is_output=False):
        pack, self.unpack = hooks
        self.history = None if is_output else (tensor._edge, tensor._was, _leaf_end(tensor))
        version, self.dtype = tensor._version, tensor.dtype
        with no_grad():
            self.content = pack(tensor)
        if tensor._version != version:
            raise RuntimeError(PACK_IN_PLACE)

    def open(self):
        with no_grad():
            tensor = self.unpack(self.content)
        if not hasattr(tensor, "grad_fn"):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(tensor).__name__}"
            )
        if tensor.dtype is not self.dtype:  # then PyTorch turns the gradient into the input's
            tensor = tensor.detach().to(self.dtype)
        if self.history is not None:
            tensor = tensor._share(tensor._array)
            tensor._edge, tensor._was, end = self.history
            if end is not None:
                tensor._accumulator = weakref.ref(end)
        return tensor


def _leaf_end(tensor):
    """Where a leaf's gradients arrive: what comes back for it is the same leaf to the graph."""
    return accumulator(tensor) if tensor._edge is None else None


def packed(tensor) -> Packed:
    """An input in the care of this thread's hooks; pack_first() may have asked them already."""
    first = modes.state.packed
    if first and first[0][0] is tensor:
        return first.pop(0)[1]
    return Packed(modes.state.saved_hooks[-1], tensor)


class saved_tensors_hooks(Block):
    """Inside this block, save pack(tensor) in place of each tensor, and unpack(it) when needed."""

    def __init__(self, pack_hook, unpack_hook):
        self.hooks = pack_hook, unpack_hook

    def __enter__(self):
        if message := getattr(modes.state, "no_hooks", ""):  # see disable_saved_tensors_hooks
            raise RuntimeError(message)
        self._guarded()
        modes.packing += 1
        modes.state.saved_hooks = (*modes.state.saved_hooks, self.hooks)

    @leaving
    def __exit__(self, *error):
        if any(one is self.hooks for one in modes.state.saved_hooks):
            modes.packing -= 1
            modes.state.saved_hooks = modes.state.saved_hooks[:-1]
            modes.state.packed = ()  # of an op that failed
        self._guard = None
