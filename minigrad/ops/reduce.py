"""Many numbers in, fewer out: sums keep only the shape, maxima must remember where."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from minigrad.core.arrays import repeat
from minigrad.core.op import Op, record
from minigrad.core.tensor import Tensor, attach, recording
from minigrad.ops import messages
from minigrad.ops.copies import convert
from minigrad.ops.creation import sizes
from minigrad.ops.layout import in_order
from minigrad.ops.shapes import axes, axis


def expanded(array, shape):
    """`array` repeated to `shape` without copying; a view of it if there is nothing to repeat."""
    return array[...] if array.shape == shape else repeat(array, shape)


def with_axes(array, dim, keepdim):
    """Put back, with length 1, the axes that a reduction over `dim` took away."""
    return array if keepdim else np.expand_dims(array, dim)


class SumBackward0(Op):
    """sum() saves no tensor, only the shape: its gradient is the incoming one, repeated."""

    sized = True

    @staticmethod
    def forward(x):
        return x.sum()

    def backward(node, grad):
        return expanded(grad, node.sizes)


class SumBackward1(Op):
    """sum(dim) saves no tensor, only the shape."""

    sized = True
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, dim, keepdim):
        return in_order(x.sum(dim, keepdims=keepdim))

    def backward(node, grad):
        return expanded(with_axes(grad, *node.arguments), node.sizes)


class MeanBackward0(Op):
    """mean() saves no tensor, only the shape."""

    sized = True

    @staticmethod
    def forward(x):
        return x.mean(dtype=x.dtype)

    def backward(node, grad):
        return expanded(grad, node.sizes) / int(np.prod(node.sizes))

    _saved_self_sym_numel = property(lambda node: int(np.prod(node.sizes)))


class MeanBackward1(Op):
    """mean(dim) saves no tensor, only the shape."""

    sized = True
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, dim, keepdim):
        return in_order(x.mean(dim, keepdims=keepdim, dtype=x.dtype))

    def backward(node, grad):
        spread = expanded(with_axes(grad, *node.arguments), node.sizes)
        return spread / (int(np.prod(node.sizes)) // max(grad.size, 1))

    _saved_self_sym_numel = property(lambda node: int(np.prod(node.sizes)))


class _Extremum(Op):
    """max() and min() over everything save input and result; equal winners share the gradient."""

    saves = {"self": "self", "result": "self"}

    def backward(node, grad, x, result):
        winners = x == result
        return np.where(winners, grad / winners.sum(dtype=grad.dtype), 0)


class MaxBackward1(_Extremum):
    """max() saves its input and its result."""

    @staticmethod
    def forward(x):
        return x.max()


class MinBackward1(_Extremum):
    """min() saves its input and its result."""

    @staticmethod
    def forward(x):
        return x.min()


class _ExtremumAlong(Op):
    """max(dim) and min(dim) save the indices of the winners: 8 bytes each."""

    extras = ("indices",)
    saves = {"indices": "self"}
    sized = True
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, indices, dim, keepdim):
        values = np.take_along_axis(x, indices if keepdim else np.expand_dims(indices, dim), dim)
        return values if keepdim else values.squeeze(dim)

    def backward(node, grad, indices):
        dim, keepdim = node.arguments
        grad, indices = (with_axes(a, dim, keepdim) for a in (grad, indices))
        result = np.zeros_like(grad, shape=node.sizes)
        np.put_along_axis(result, indices, grad, dim)
        return result


class MaxBackward0(_ExtremumAlong):
    """max(dim) saves the indices."""


class MinBackward0(_ExtremumAlong):
    """min(dim) saves the indices."""


class CumsumBackward0(Op):
    """cumsum saves nothing: its gradient is the cumulative sum from the other end."""

    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        return x.cumsum(dim)

    def backward(node, grad):
        (dim,) = node.arguments
        return np.flip(np.flip(grad, dim).cumsum(dim), dim)


# -- methods --

# The type names are PyTorch's.
Largest = namedtuple("max", "values indices")  # type: ignore[name-match]
Smallest = namedtuple("min", "values indices")  # type: ignore[name-match]


def total(x, dim=None, keepdim=False):
    """The sum of all elements, or along `dim`."""
    if dim is None:
        return SumBackward0.call(x)
    return SumBackward1.call(x, axes(x, dim), keepdim)


def total_in(x, dim, keepdim, dtype):
    """The sum in another dtype: one node, whose gradient has the dtype of `x`."""
    if dtype is None or dtype.numpy == x._array.dtype:
        return total(x, dim, keepdim)
    out = total(convert(x.detach(), dtype), dim, keepdim)
    if recording((x,)) and dtype.is_floating_point:
        rule, given = (SumBackward0, ()) if dim is None else (SumBackward1, (axes(x, dim), keepdim))
        node = record(rule, out, (x,), (True,), given)
        node._meta = [(0, x._array.shape, x._array.dtype)]
    return out


def summed_to(x, shape):
    """The sum over what broadcasting would repeat, so that the result has that shape."""
    extra = x._array.ndim - len(shape)
    over = [i for i, n in enumerate(x._array.shape) if i < extra or n != shape[i - extra] == 1]
    out = x.sum(tuple(over), keepdim=True) if over else x
    return out.view(shape) if extra > 0 else out


def average(x, dim=None, keepdim=False):
    """The mean of all elements, or along `dim`."""
    if x._array.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {x.dtype.scalar_type}"
        )
    if dim is None:
        return MeanBackward0.call(x)
    return MeanBackward1.call(x, axes(x, dim), keepdim)


def extremum(x, dim, keepdim, whole, along, arg, result):
    """max() and min(): the value of all, or (values, indices) along `dim`."""
    if dim is None:
        if not x._array.size:
            raise RuntimeError(messages.EMPTY_EXTREMUM.format(result.__name__))
        return whole.call(x)
    if isinstance(dim, Tensor):
        return (x.maximum if arg is np.argmax else x.minimum)(dim)
    dim = axis(x, dim)
    indices = x._new(arg(x._array, dim, keepdims=keepdim))
    return result(along.call(x, indices, dim, keepdim), indices)


def arg_extremum(x, arg, dim, keepdim):
    """The index of the largest or smallest element; an integer has no gradient."""
    along = {} if dim is None else {"axis": axis(x, dim), "keepdims": keepdim}
    return x._new(arg(x._array, **along))


def truth(x, function, dim, keepdim):
    """all() and any(): a bool, but of uint8 a uint8, as PyTorch has it."""
    along = None if dim is None else axes(x, dim)[: x._array.ndim]  # a 0-d tensor has none
    out = x._new(function(x._array, along, keepdims=keepdim))
    return convert(out, x.dtype) if x._array.dtype == np.uint8 else out


@attach
class Reductions(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def sum(x, dim=None, keepdim=False, dtype=None):
        return total_in(x, dim, keepdim, dtype)
    def mean(x, dim=None, keepdim=False): return average(x, dim, keepdim)
    def max(x, dim=None, keepdim=False):
        return extremum(x, dim, keepdim, MaxBackward1, MaxBackward0, np.argmax, Largest)
    def min(x, dim=None, keepdim=False):
        return extremum(x, dim, keepdim, MinBackward1, MinBackward0, np.argmin, Smallest)
    def argmax(x, dim=None, keepdim=False): return arg_extremum(x, np.argmax, dim, keepdim)
    def argmin(x, dim=None, keepdim=False): return arg_extremum(x, np.argmin, dim, keepdim)
    def all(x, dim=None, keepdim=False): return truth(x, np.all, dim, keepdim)
    def any(x, dim=None, keepdim=False): return truth(x, np.any, dim, keepdim)
    def sum_to_size(x, *shape):
        return summed_to(x, sizes(shape))
    def cumsum(x, dim): return CumsumBackward0.call(x, axis(x, dim))
    # fmt: on
