"""Gradients put at places: what PyTorch records where the backward of x[list] runs."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import add_at
from minigrad.core.modes import state
from minigrad.core.op import gradients_wanted, record
from minigrad.ops.following import AsStridedBackward0, extent, layout
from minigrad.ops.shape import IndexPutBackward0, place_of


class IndexPutImplBackward0(IndexPutBackward0):
    """The same under the name of what PyTorch calls where a backward runs."""

    def backward(node, grad, indices):
        return grad, grad[place_of(indices)]


def put_into_zeros(values, indices, sizes):
    """Zeros with `values` added at the places of the indices: the gradient of x[indices]."""
    return put_into(zeros(values, sizes), indices, values)


def zeros(like, sizes):
    """A tensor of zeros of another size."""
    return like._new(np.zeros_like(like._array, shape=sizes, order="C"))


def put_into(x, indices, values, op=IndexPutImplBackward0, add=True):
    """`x` with values put, or added, at the places that tensors name; None stands for an axis."""
    array = x._array.copy()
    place = place_of([None if i is None else i._array for i in indices])
    if add:
        add_at(array, place, values._array)
    else:
        array[place] = values._array
    out = x._new(array)
    wanted = gradients_wanted(op, (x, values))
    if wanted and state.grad_enabled:
        record(op, out, (x, values, list(indices)), wanted, (add,))
    return out


def put_recorded(node, grad, indices):
    """What was put goes out of the gradient, and to the values."""
    there = grad._array[place_of([None if i is None else i._array for i in indices])].shape
    shape = next((shape for i, shape, _ in node._meta if i == 1), there)
    for_x, for_values = node.needs_input_grad
    return (
        put_into(grad, indices, zeros(grad, shape), IndexPutBackward0, False) if for_x else None,
        grad[place_of(indices)] if for_values else None,
    )


def strided_recorded(node, grad):
    """From a view to its base, through a stretch of memory that has both: see ops/following.py."""
    *view, base = node.arguments
    start = min(view[-1], base[-1])
    grad, (size, stride) = shrunk(grad, *view[:2])
    layouts = (size, stride, view[-1] - start), (*base[:2], base[-1] - start)
    flat = zeros(grad, (max(offset + extent(*steps) for *steps, offset in layouts),))
    here, there = ((*one, layout(flat)) for one in layouts)
    if grad.numel():
        AsStridedBackward0.call(flat, *here).copy_(grad)
    return AsStridedBackward0.call(flat, *there)


def shrunk(grad, size, stride) -> tuple:
    """A gradient without axes of length 1 and summed over what was repeated, and its steps."""
    left = [(n, step) for n, step in zip(size, stride, strict=True) if n != 1 and step]
    for i in reversed(range(len(size))):
        if size[i] == 1:
            grad = grad.squeeze(i)
        elif not stride[i]:
            grad = grad.sum(i)
    return grad, tuple(zip(*left, strict=True)) or ((), ())


IndexPutBackward0.recorded = put_recorded
AsStridedBackward0.recorded = strided_recorded
