"""PyTorch's names for the graph: what a node is, and hooks for what a node saves."""

# ruff: noqa: F401  (the public face)

from __future__ import annotations

import contextlib

from minigrad.autograd.edges import GradientEdge, get_gradient_edge
from minigrad.autograd.multi import register_multi_grad_hook
from minigrad.autograd.mutation import allow_mutation_on_saved_tensors
from minigrad.core.modes import state
from minigrad.core.node import Node
from minigrad.core.packing import saved_tensors_hooks
from minigrad.core.tensor import Tensor
from minigrad.utils.offload import save_on_cpu


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str):
    """Inside, saved_tensors_hooks raises a RuntimeError with this text."""
    before = getattr(state, "no_hooks", "")
    if state.saved_hooks:
        raise RuntimeError(error_message)
    state.no_hooks = error_message
    try:
        yield
    finally:
        state.no_hooks = before


def increment_version(tensor) -> None:
    """Say that a tensor, or several, were overwritten in a way that the engine cannot see."""
    tensors = [tensor] if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, Tensor) for t in tensors):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not t.is_inference():
            t._storage.version += 1
