"""A GradientEdge is a place in the graph without its tensor; backward() and grad() take it for one.

For the engine it is a tensor that has an edge and a look, and no bytes.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np

from minigrad.core import backward as engine
from minigrad.core.function import BackwardCFunction
from minigrad.core.modes import state
from minigrad.core.node import AccumulateGrad, Node, edge
from minigrad.core.tensor import Tensor, attach

NO_EDGE = "It is not possible to get the gradient edge for a Tensor that does not require gradients"
NO_LEAF = (
    "A leaf node was passed to _will_engine_execute_node but we are currently running "
    "autograd.grad(). This is currently not supported."
)
NO_ZEROS = "materialize_grads cannot be used when the given input is a GradientEdge"


class GradientEdge(NamedTuple):
    """Output number `output_nr` of a node; it keeps the graph behind it, not the tensor."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor) -> GradientEdge:
    """Where the gradient of `tensor` is computed, to be asked for when the tensor is gone."""
    if not tensor._requires_grad:
        raise RuntimeError(NO_EDGE)
    node, number = edge(tensor)
    looks = node.__dict__.setdefault("_looks", {})
    looks[number] = tensor._array.shape, tensor._array.dtype
    token = tensor.view_as(tensor).grad_fn if isinstance(node, BackwardCFunction) else None
    return GradientEdge(node, number, token)


class _Ghost(Tensor):
    """What the engine sees of a GradientEdge."""

    def __init__(self, place: GradientEdge):
        shape, dtype = vars(place.node).get("_looks", {}).get(place.output_nr, ((), np.float32))
        self._edge = place.node, place.output_nr
        self._array = np.broadcast_to(np.zeros((), dtype), shape)

    def retain_grad(self):
        """Nobody could read it."""


def seen(given) -> Any:
    """The edges in what was given as ghosts; all else as it is."""
    if isinstance(given, GradientEdge):
        return [_Ghost(given)]
    if isinstance(given, (list, tuple)):
        return [_Ghost(one) if isinstance(one, GradientEdge) else one for one in given]
    return given


# -- what a walk was asked for, which hooks may want to know while it is under way --

waiting = 0  # how many hooks there are that ask


class Asked(NamedTuple):
    """The nodes to begin at, those to go to (none: everywhere), and whether it stops there."""

    roots: list
    aims: list
    capture: bool


@contextlib.contextmanager
def asking(roots, aims, capture):
    """Inside, `state.asked` tells what this thread's innermost walk was asked for."""
    outer, state.asked = getattr(state, "asked", None), Asked(_nodes(roots), _nodes(aims), capture)
    try:
        yield
    finally:
        state.asked = outer


def _nodes(given) -> list:
    if given is None:
        return []
    several = given.values() if isinstance(given, dict) else given
    several = [given] if isinstance(given, Tensor) else several
    return [edge(t)[0] for t in several if isinstance(t, Tensor) and t._requires_grad]


def will_run(node) -> bool:
    """Does the walk under way come to this node?"""
    roots, aims, capture = state.asked
    if not aims:
        return node in engine.count_consumers(roots)
    if capture and node in aims and isinstance(node, AccumulateGrad):
        raise RuntimeError(NO_LEAF)
    return node in aims or node in engine.leading_to(roots, set(aims), inclusive=not capture)


# -- backward() and grad() --


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
    inputs=None,
) -> None:  # fmt: skip
    """The engine's backward(), for tensors and for edges."""
    tensors, inputs = seen(tensors), seen(inputs)
    with asking(tensors, inputs, False) if waiting else contextlib.nullcontext():
        engine.backward(
            tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs=inputs
        )


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, **options):
    """The engine's grad(), for tensors and for edges."""
    outputs, inputs = seen(outputs), seen(inputs)
    if options.get("materialize_grads") and any(isinstance(t, _Ghost) for t in inputs):
        raise RuntimeError(NO_ZEROS)
    with asking(outputs, inputs, True) if waiting else contextlib.nullcontext():
        return engine.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, **options)


@attach
class Edges(Tensor):
    """Methods of Tensor."""

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add d(self)/d(leaf) to every leaf's `.grad`, and free what the nodes saved on the way."""
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)
