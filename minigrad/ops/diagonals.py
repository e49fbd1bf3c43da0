"""The diagonal of two axes: a view, a copy, a matrix with nothing else, and its sum."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import strided
from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import messages
from minigrad.ops.following import AsStridedBackward0, extent, layout
from minigrad.ops.numbers import a_number
from minigrad.ops.shape import View
from minigrad.ops.shapes import Shown, axis, whole

BEYOND = (
    "minigrad's fill_diagonal_ writes to no bytes behind those of its tensor, as wrap=True does "
    "where the rows do not lie one after the other: write to a contiguous() copy"
)


def diagonal_of(x, offset, dim1, dim2):
    """The array's diagonal, as its last axis: a view."""
    dim1, dim2 = dim1 % x.ndim, dim2 % x.ndim
    start = [slice(None)] * x.ndim
    start[dim2 if offset >= 0 else dim1] = slice(abs(offset), None)
    part = x[tuple(start)]
    others = [i for i in range(x.ndim) if i not in (dim1, dim2)]
    shape = [*(part.shape[i] for i in others), min(part.shape[dim1], part.shape[dim2])]
    steps = [*(x.strides[i] for i in others), x.strides[dim1] + x.strides[dim2]]
    return strided(part, tuple(shape), tuple(steps))


def put_into_zeros(x, shape, offset, dim1, dim2):
    """Zeros of this shape whose diagonal is the last axis of `x`."""
    result = np.zeros_like(x, order="C", shape=shape)
    diagonal_of(result, offset, dim1, dim2)[...] = x
    return result


class DiagonalBackward0(View):
    """diagonal() is a view: backward puts the gradient into a diagonal of zeros."""

    sized = True
    argument_names = ("offset", "dim1", "dim2")

    forward = diagonal_of

    def backward(node, grad):
        return put_into_zeros(grad, node.sizes, *node.arguments)


class DiagonalBackward0_copy(Shown):  # noqa: N801  (PyTorch's name)
    """diag() of a matrix is a copy of its diagonal."""

    sized = True
    argument_names = DiagonalBackward0.argument_names

    @staticmethod
    def forward(x, offset, dim1, dim2):
        return diagonal_of(x, offset, dim1, dim2).copy()

    backward = DiagonalBackward0.backward


class DiagEmbedBackward0(Shown):
    """diag_embed() puts the last axis into a diagonal of zeros; the gradient is that diagonal."""

    argument_names = ("offset", "dim1", "dim2")

    @staticmethod
    def forward(x, offset, dim1, dim2):
        side = x.shape[-1] + abs(offset)
        shape, places = list(x.shape[:-1]), sorted(i % (x.ndim + 1) for i in (dim1, dim2))
        for place in places:
            shape.insert(place, side)
        return put_into_zeros(x, shape, offset, dim1, dim2)

    def backward(node, grad):
        return diagonal_of(grad, *node.arguments)


class TraceBackward0(Op):
    """trace saves nothing: each element of the diagonal gets the gradient of the sum."""

    sized = True

    @staticmethod
    def forward(x):
        kinds = (np.float64, x.dtype) if x.dtype.kind == "f" else (np.int64, np.int64)
        return diagonal_of(x, 0, 0, 1).sum(dtype=kinds[0]).astype(kinds[1])

    def backward(node, grad):
        return put_into_zeros(grad, node.sizes, 0, 0, 1)

    def peak(node, grad):
        """Zeros, the places of the diagonal, and a copy of the zeros where these are filled."""
        rows, columns = node.sizes
        return 2 * rows * columns * grad.itemsize + 8 * min(rows, columns)


def _two(x, dim1, dim2, more=0) -> tuple:
    """The two axes, if they are two, of x or of what has `more` axes."""
    first, second = axis(x, dim1, more), axis(x, dim2, more)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return dim1, dim2


def diagonal(x, offset=0, dim1=0, dim2=1):
    """The elements of equal index in two axes; with an offset, those beside them."""
    return DiagonalBackward0.call(x, whole(offset, "offset"), *_two(x, dim1, dim2))


def diag_embed(x, offset=0, dim1=-2, dim2=-1):
    """Zeros with the last axis as the diagonal of two new ones; with an offset, beside it."""
    return DiagEmbedBackward0.call(x, whole(offset, "offset"), *_two(x, dim1, dim2, 1))


def diag(x, diagonal=0):
    """The matrix whose diagonal is this vector, or the diagonal of this matrix, a copy."""
    diagonal = whole(diagonal, "diagonal")
    if x._array.ndim == 1:
        return DiagEmbedBackward0.call(x, diagonal, -2, -1)
    if x._array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {x._array.ndim}D")
    return DiagonalBackward0_copy.call(x, diagonal, 0, 1)


def trace(x):
    """The sum of a matrix's diagonal."""
    if x._array.dtype.kind == "b":
        raise messages.not_implemented("trace", x)
    if x._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {x._array.ndim}")
    return TraceBackward0.call(x)


def fill_diagonal_(x, fill_value, wrap=False):
    """Write a number to the diagonal; with `wrap` a matrix that is higher than wide has several."""
    value, wrap = a_number(fill_value, "fill_value", 1), expected(wrap, bool, "wrap", "bool")
    _check_square(x._array.shape)
    height, width = x._array.shape[:2]
    count = min(height, width)
    _diagonal_from(x, 0, count).fill_(value)
    if wrap and x._array.ndim == 2 and height > width + 1:
        more = -(-x._array.size // (width + 1)) - count
        _diagonal_from(x, width + 1, more).fill_(value)
    return x


def _check_square(shape) -> None:
    """PyTorch's words where there is no diagonal; a matrix need not be square."""
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")


def _diagonal_from(x, row: int, count: int):
    """A view of so many elements, each one step further along all axes, from the row's first on."""
    size, steps, offset = layout(x)
    step, ahead = sum(steps), row * steps[0]
    if count and ahead + (count - 1) * step >= extent(size, steps):
        raise NotImplementedError(BEYOND)
    return AsStridedBackward0.call(x, (count,), (step,), offset + ahead, layout(x))


@attach
class Diagonals(Tensor):
    """Methods of Tensor."""

    diagonal, diag, diag_embed, trace = diagonal, diag, diag_embed, trace
    fill_diagonal_ = fill_diagonal_
