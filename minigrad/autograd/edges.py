"""A GradientEdge is a place in the graph without its tensor; backward() and grad() take it for one.

For the engine it is a tensor that has an edge and a look, and no bytes.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from minigrad.core import backward as engine
from minigrad.core.backend import full
from minigrad.core.function import BackwardCFunction
from minigrad.core.node import AccumulateGrad, Node, edge
from minigrad.core.observer import Observer, leave, watch
from minigrad.core.tensor import Tensor

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

    @property
    def as_tensor(self):
        """What backward() and grad() take for it."""
        return _Ghost(self)


def get_gradient_edge(tensor) -> GradientEdge:
    """Where the gradient of `tensor` is computed, to be asked for when the tensor is gone."""
    if not tensor.requires_grad:
        raise RuntimeError(NO_EDGE)
    node, number = edge(tensor)
    looks = vars(node).setdefault("_looks", {})
    looks[number] = tensor._array.shape, tensor._array.dtype, tensor.device
    token = tensor.view_as(tensor).grad_fn if isinstance(node, BackwardCFunction) else None
    return GradientEdge(node, number, token)


class _Ghost(Tensor):
    """What the engine sees of a GradientEdge."""

    def __init__(self, place: GradientEdge):
        looks = vars(place.node).get("_looks", {})
        shape, dtype, device = looks.get(place.output_nr, ((), np.float32, None))
        self._edge = place.node, place.output_nr
        self._array = np.broadcast_to(full((), 0, dtype, device), shape)

    def retain_grad(self):
        """Nobody could read it."""

    def _zeros(self):
        raise RuntimeError(NO_ZEROS)


# -- what a walk was asked for, which hooks may want to know while it is under way --


class Asked(NamedTuple):
    """The nodes to begin at, those to go to (none: everywhere), and whether it stops there."""

    roots: list
    aims: list
    capture: bool


_now: ContextVar = ContextVar("[asked for], of the walk to come", default=())
_walks: ContextVar = ContextVar("asked for, of each walk under way, the innermost last", default=())


class Listener(Observer):
    """While somebody waits, each walk's Asked is known, also where it goes on on another thread."""

    def asked(self, tensors, inputs, capture):
        _now.set([Asked(_nodes(tensors), _nodes(inputs or ()), capture)])

    def started(self, roots, keep_graph):
        now = _now.get()  # taken out, also for the thread that waits for this one: it holds nodes
        _walks.set((*_walks.get(), now.pop() if now else None))

    def ended(self, error):
        _walks.set(_walks.get()[:-1])


_listener, _waiting = Listener(), 0


def wait(more: int) -> None:
    """So many hooks more, or fewer, want to know."""
    global _waiting
    before, _waiting = _waiting, _waiting + more
    if not before:
        watch(_listener)
    elif not _waiting:
        leave(_listener)


def _nodes(tensors) -> list:
    return [edge(t)[0] for t in tensors if getattr(t, "_requires_grad", False)]


def will_run(node) -> bool:
    """Does the walk under way come to this node?"""
    walks = _walks.get()
    if not walks or walks[-1] is None:  # the hook is younger than the walk
        return True
    roots, aims, capture = walks[-1]
    if not aims:
        return node in engine.count_consumers(roots)
    if capture and node in aims and isinstance(node, AccumulateGrad):
        raise RuntimeError(NO_LEAF)
    return node in aims or node in engine.leading_to(roots, set(aims), inclusive=not capture)
