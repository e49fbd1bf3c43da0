"""Numbers put at places: the operations that PyTorch's backward of max, cumsum and x[list] use."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import add_at
from minigrad.core.modes import state
from minigrad.core.op import Op, record


class FlipBackward0(Op):
    """The elements of some axes in the opposite order."""

    argument_names = ("dims",)

    @staticmethod
    def forward(x, dims):
        return np.flip(x, dims).copy()

    def backward(node, grad):
        return np.flip(grad, node.arguments[0])


def along(indices, dim) -> tuple:
    """The place of each element that `indices` names along one axis."""
    places = list(np.indices(indices.shape, sparse=True))
    places[dim] = indices
    return tuple(places)


class ScatterBackward0(Op):
    """x with the elements of `src` at the places that an index names along one axis."""

    inputs = ("self", "src")
    extras = ("index",)
    saves = {"index": "self src"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, src, index, dim):
        result = x.copy()
        np.put_along_axis(result, index, src, dim)
        return result

    def backward(node, grad, index):
        place = along(getattr(index, "array", index), node.arguments[0])
        rest = None
        if node.needs_input_grad[0]:
            rest = grad.copy()
            rest[place] = 0
        return rest, grad[place]


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
    array = np.zeros_like(values._array, shape=sizes)
    add_at(array, tuple(slice(None) if i is None else i._array for i in indices), values._array)
    out = values._new(array)
    if values._requires_grad and state.grad_enabled:
        given = out.detach(), values, list(indices)
        record(IndexPutImplBackward0, out, given, (False, True), (True,))
    return out
