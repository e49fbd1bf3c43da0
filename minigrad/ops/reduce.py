"""Many numbers in, fewer out: sums keep only the shape, maxima must remember where."""

from __future__ import annotations

from operator import methodcaller

import numpy as np

from minigrad.core.arrays import added, in_order, repeat
from minigrad.core.dtypes import dtype as DType
from minigrad.core.op import Op, record
from minigrad.core.tensor import Tensor, attach, recording
from minigrad.core.words import as_dtype, expected
from minigrad.ops import messages
from minigrad.ops.copies import convert
from minigrad.ops.creation import sizes
from minigrad.ops.means import mean_of
from minigrad.ops.shapes import ALL, Shown, axis, flag, over


def expanded(array, shape):
    """`array` repeated to `shape` without copying; a view of it if there is nothing to repeat."""
    return array[...] if array.shape == shape else repeat(array, shape)


def with_axes(array, dim, keepdim):
    """Put back, with length 1, the axes that a reduction over `dim` took away."""
    return array if keepdim else np.expand_dims(array, dim)


def spread(grad, dim, keepdim, shape):
    """A reduction's gradient seen in the shape of its input."""
    return expanded(with_axes(grad, dim or (), keepdim or not shape), shape)


def along(x, dim):
    """The axes as numpy is told: () and None mean all to PyTorch, and a 0-d tensor has none."""
    return (dim or ())[: x.ndim] or None


def summed(x):
    """The dtype of a sum: whole numbers and bools are counted in int64."""
    return x.dtype if x.dtype.kind == "f" else np.int64


def sum_of(x, where=None, keepdims=False):
    """The sum along the axes `where`, or of all elements."""
    if x.dtype.kind == "f":
        return added(x, where, keepdims)
    return x.sum(where, np.int64, keepdims=keepdims)


class SumBackward0(Op):
    """sum() saves no tensor, only the shape: its gradient is the incoming one, repeated."""

    sized = True

    forward = staticmethod(sum_of)

    def backward(node, grad):
        return expanded(grad, node.sizes)


class SumBackward1(Shown):
    """sum(dim) saves no tensor, only the shape."""

    sized = True
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, dim, keepdim):
        return in_order(sum_of(x, along(x, dim), keepdim))

    def backward(node, grad):
        dim, keepdim = node.arguments
        return spread(grad, dim, keepdim, node.sizes)


class _Mean(Shown):
    """mean saves no tensor, only the shape."""

    sized = True

    _saved_self_sym_numel = property(lambda node: int(np.prod(node.sizes)))


class MeanBackward0(_Mean):
    """mean(), of all elements."""

    forward = staticmethod(mean_of)  # half floats are added up as whole ones

    def backward(node, grad):
        return expanded(grad, node.sizes) / int(np.prod(node.sizes))


class MeanBackward1(_Mean):
    """mean(dim), along axes."""

    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, dim, keepdim):
        return in_order(mean_of(x, along(x, dim), keepdim))

    def backward(node, grad):
        count = int(np.prod(node.sizes)) // max(grad.size, 1)
        dim, keepdim = node.arguments
        return spread(grad, dim, keepdim, node.sizes) / count


class _Extremum(Op):
    """max() and min() over everything save input and result; equal winners share the gradient."""

    saves = {"self": "self", "result": "self"}

    def backward(node, grad, x, result):
        winners = (x == result) | (x != x)  # the largest of all is nan if there is one
        result = np.zeros_like(x, order="C")
        np.copyto(result, grad / winners.sum(dtype=grad.dtype), where=winners)
        return result

    def peak(node, grad, x, result):
        """Three masks and one of the result, how many have won, and what each of them gets."""
        return x.size * (grad.itemsize + 3) + 1 + 8 + grad.nbytes


class MaxBackward1(_Extremum):
    """max() saves its input and its result."""

    forward = methodcaller("max")


class MinBackward1(_Extremum):
    """min() saves its input and its result."""

    forward = methodcaller("min")


class _ExtremumAlong(Shown):
    """max(dim) and min(dim) save the indices of the winners: 8 bytes each."""

    extras = ("indices",)
    saves = {"indices": "self"}
    sized = True
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, indices, dim, keepdim):
        if not x.ndim:
            return x.copy()
        values = np.take_along_axis(x, indices if keepdim else np.expand_dims(indices, dim), dim)
        return values if keepdim else values.squeeze(dim)

    def backward(node, grad, indices):
        dim, keepdim = node.arguments
        if not node.sizes:
            return grad
        grad, indices = (with_axes(a, dim, keepdim) for a in (grad, indices))
        result = np.zeros_like(grad, order="C", shape=node.sizes)
        np.put_along_axis(result, indices, grad, dim)
        return result


class MaxBackward0(_ExtremumAlong):
    """max(dim) saves the indices."""


class MinBackward0(_ExtremumAlong):
    """min(dim) saves the indices."""


# -- methods --

NUMPYS = {"axis": ALL, "keepdims": None}  # NumPy's names, and what stands for nothing


def by_numpys_names(name, dim, keepdim, given) -> tuple:
    """(dim, keepdim), of which some are given as NumPy calls them, and none twice."""
    found = {"axis": dim, "keepdims": keepdim}
    for word, value in given.items():
        if word not in found or found[word] is not NUMPYS[word]:
            raise TypeError(f"{name}() got an unexpected keyword argument '{word}'")
        found[word] = value
    return found["axis"], found["keepdims"]


def chosen(x, dim, keepdim, name, whole, by_axes) -> tuple:
    """The rule, of all elements or along axes, and its plain arguments."""
    if dim is ALL:
        check_keepdim(keepdim, name)
        return whole, ()
    return by_axes, (over(x, dim), flag(keepdim))


def total(x, dim, keepdim, dtype):
    """The sum in any dtype."""
    rule, given = chosen(x, dim, keepdim, "sum", SumBackward0, SumBackward1)
    if dtype is None or keeps(x, dtype := as_dtype(dtype)):
        return rule.call(x, *given)
    return in_dtype(x, dtype, rule, given)


def keeps(x, dtype) -> bool:
    """Is the dtype that was asked for that of a sum of `x`?"""
    expected(dtype, DType, "dtype", "torch.dtype")
    return dtype.numpy == x._array.dtype == summed(x._array)


def in_dtype(x, dtype, rule, given):
    """The rule's result in any dtype: one node, whose gradient has the dtype of `x`."""
    check_autograd(x, dtype)
    out = convert(rule.call(convert(x.detach(), dtype), *given), dtype)
    if recording((x,)):
        record(rule, out, (x,), (True,), given)._meta = [(0, x._array.shape, x._array.dtype)]
    return out


def check_autograd(x, dtype) -> None:
    """A result that is to be in a graph is a float."""
    if dtype is not None and not dtype.is_floating_point and recording((x,)):
        raise RuntimeError(f"Autograd not support dtype: {dtype.scalar_type}")


def check_keepdim(keepdim, name) -> None:
    """It says nothing where no axis is named."""
    if keepdim is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: keepdim, no dim")


def expandable(x, shape) -> tuple:
    """The shape, which must be one that could be expanded to that of `x`."""
    extra = x._array.ndim - len(shape)
    if extra < 0 or any(n not in (1, x._array.shape[extra + i]) for i, n in enumerate(shape)):
        raise RuntimeError(messages.NOT_EXPANDABLE.format([*shape], [*x.shape]))
    return shape


def summed_to(x, shape):
    """The sum over what broadcasting would repeat, so that the result has that shape."""
    extra = x._array.ndim - len(shape)
    over = [i for i, n in enumerate(x._array.shape) if i < extra or n != shape[i - extra] == 1]
    out = x.sum(tuple(over), keepdim=True) if over else x
    return out.view(shape) if extra else out


def average(x, dim, keepdim, dtype):
    """The mean of all elements, or along `dim`."""
    kind = x.dtype if dtype is None or keeps(x, dtype := as_dtype(dtype)) else dtype
    if not kind.is_floating_point:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point "
            f"or complex dtype. Got: {kind.scalar_type}"
        )
    rule, given = chosen(x, dim, keepdim, "mean", MeanBackward0, MeanBackward1)
    return rule.call(x, *given) if kind is x.dtype else in_dtype(x, kind, rule, given)


def check_any(x, kind: type, words: str) -> None:
    """There is no largest element of none."""
    if not x._array.size:
        raise kind(words)


def place_of(arg, array, dim, keepdim):
    """Where the largest or smallest stands along `dim`; in a 0-d array there is one place."""
    return arg(array, dim if array.ndim else None, keepdims=keepdim)


def check_not_empty(x, dim, name) -> None:
    """Nor is there one of none along an axis."""
    if x._array.ndim and not x._array.shape[dim]:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def arg_extremum(x, arg, dim, keepdim):
    """The index of the largest or smallest element; an integer has no gradient."""
    name = arg.__name__
    if x._array.dtype == bool:
        raise RuntimeError(f"{name}(): does not support bool input")
    if dim is None:
        words = messages.EMPTY_EXTREMUM.format(name).partition(" Specify")[0]
        check_any(x, IndexError, words)
    else:
        dim = axis(x, dim)
        check_not_empty(x, dim, name)
    return x._new(place_of(arg, x._array, dim, flag(keepdim)))


def truth(x, function, dim, keepdim):
    """all() and any(): a bool, but of uint8 a uint8, as PyTorch has it."""
    dims = None if dim is None else over(x, dim)[: x._array.ndim]  # () is no axis here
    out = x._new(in_order(function(x._array, dims, keepdims=flag(keepdim))))
    return convert(out, x.dtype) if x._array.dtype == np.uint8 else out


@attach
class Reductions(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def sum(x, dim=ALL, keepdim=None, *, dtype=None, **numpys):
        if numpys:
            dim, keepdim = by_numpys_names("sum", dim, keepdim, numpys)
        return total(x, dim, keepdim, dtype)
    def mean(x, dim=ALL, keepdim=None, *, dtype=None, **numpys):
        if numpys:
            dim, keepdim = by_numpys_names("mean", dim, keepdim, numpys)
        return average(x, dim, keepdim, dtype)
    def argmax(x, dim=None, keepdim=False): return arg_extremum(x, np.argmax, dim, keepdim)
    def argmin(x, dim=None, keepdim=False): return arg_extremum(x, np.argmin, dim, keepdim)
    def all(x, dim=None, keepdim=False): return truth(x, np.all, dim, keepdim)
    def any(x, dim=None, keepdim=False): return truth(x, np.any, dim, keepdim)
    def _summed_to(x, shape): return summed_to(x, shape)
    def sum_to_size(x, *shape):
        shape = expandable(x, sizes(shape))
        return summed_to(x, shape) if shape else x.sum()
    # fmt: on
