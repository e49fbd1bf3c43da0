"""Gradients put at places: what PyTorch records where the backward of x[list] runs."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import add_at
from minigrad.core.backend import beside
from minigrad.core.modes import state
from minigrad.core.op import Op, gradients_wanted, record
from minigrad.ops.following import AsStridedBackward0, extent, seen


class IndexPutImplBackward0(Op):
    """x with values put, or added, where indices say; it saves the indices, in a list."""

    inputs = ("self", "values")
    extras = ("indices",)
    saves = {"indices": "self values"}
    argument_names = ("accumulate",)

    def backward(node, grad, indices):
        return grad, grad[place_of(indices)]


def place_of(indices) -> tuple:
    """What an array is indexed with; None stands for a whole axis."""
    return tuple(slice(None) if i is None else i for i in indices)


def put_into_zeros(values, indices, sizes):
    """Zeros with `values` added at the places of the indices: the gradient of x[indices]."""
    return put_into(values._new(np.zeros_like(values._array, shape=sizes)), indices, values)


def put_into(x, indices, values):
    """`x` with values added at the places that tensors name; None stands for a whole axis."""
    array = x._array.copy()
    add_at(array, place_of([None if i is None else i._array for i in indices]), values._array)
    out = x._new(array)
    wanted = gradients_wanted(IndexPutImplBackward0, (x, values))
    if wanted and state.grad_enabled:
        given = x, values, list(indices)
        record(IndexPutImplBackward0, out, given, wanted, (True,))
    return out


def strided_recorded(node, grad):
    """From a view to its base, element by element: see ops/following.py."""
    *view, base = node.arguments
    places = np.arange(max(view[-1] + extent(*view[:2]), base[-1] + extent(*base[:2])))
    here, there = (beside(np.array(seen(places, *of)), grad._array) for of in (view, base))
    return put_into_zeros(grad, [grad._new(here)], places.shape)[grad._new(there)]


AsStridedBackward0.recorded = strided_recorded
