"""once_differentiable: a backward whose own gradient cannot be taken says so when it is tried."""

from __future__ import annotations

import functools

from minigrad.core.modes import no_grad
from minigrad.core.node import Node, edge, newer
from minigrad.core.tensor import Tensor, recording

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class Error(Node):
    """Stands behind a gradient that cannot be differentiated again; who tries is told."""

    def __init__(self, leaf):
        self._order, self.next_functions = next(newer), (edge(leaf),)

    def name(self) -> str:
        return "torch::autograd::Error"

    def apply(self, grads: list, asked=None) -> list:
        raise RuntimeError(TWICE)


def _marked(result):
    out = result.detach()
    out._edge = Error(result.detach().requires_grad_()), 0
    return out


def once_differentiable(backward):
    """For a backward whose own gradient cannot be taken: with create_graph=True, that is an error.

    Without it, and where nothing can be differentiated, the decorator changes nothing.
    """

    @functools.wraps(backward)
    def inside(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not recording([g for g in grads if isinstance(g, Tensor)]):
            return results
        if isinstance(results, tuple):
            return tuple([None if r is None else _marked(r) for r in results])
        return _marked(results)

    return inside
