"""The length of a vector, by any power: a whole tensor, or its rows."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.arrays import added, in_order
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.elementwise import sign, wide
from minigrad.ops.moments import meant
from minigrad.ops.numbers import a_number
from minigrad.ops.reduce import with_axes
from minigrad.ops.shapes import Shown, axis, flag, over, several


def without(zero, array):
    """`array`, but 0 where `zero` is 0."""
    return np.where(zero == 0, 0, array)


def length(x, power, where, keepdim):
    """The norm of an array along the axes `where`, or of all of it."""
    size = abs(x)
    if math.isinf(power):
        return (size.max if power > 0 else size.min)(where, keepdims=keepdim)
    if power == 0:
        return (x != 0).sum(where, keepdims=keepdim).astype(x.dtype)
    if power == 1:
        return added(size, where, keepdim)
    if power == 2:
        return np.sqrt(added(x * x, where, keepdim))
    # Of a number, `**` would be another function than an array's, and differ in the last digit.
    return np.power(added(size**power, where, keepdim), 1 / power)


def by_power(grad, norm, x, size, power):
    """The slope of a norm of any other power, in PyTorch's order."""
    if power < 1:
        return sign(x) * without(x, size ** (power - 1)) * grad * norm ** (1 - power)
    parts = sign(x) * size ** (power - 1) if power < 2 else x * size ** (power - 2)
    return parts * without(norm, grad / norm ** (power - 1))


class _Norm(Shown):
    """The norm saves its input and its result."""

    saves = {"result": "self", "self": "self"}
    stretched = ("self",)

    @staticmethod
    def forward(x, power, dim, keepdim, dtype):
        result = length(wide(x.astype(dtype, copy=False)), power, meant(x, dim), keepdim)
        return in_order(result.astype(dtype, copy=False))

    def backward(node, grad, norm, x):
        power, dim, keepdim, dtype = node.arguments
        if power == 0:
            return None  # it counts: no slope
        where = meant(x, dim)
        if where is not None:
            grad, norm = (with_axes(a, where, keepdim) for a in (grad, norm))
        return node.slope(grad, norm, x.astype(dtype, copy=False), power, where)

    def peak(node, grad, norm, x):
        """What each power takes of arrays as large as `x`, and as the norm; masks are bools."""
        power, whole, one = node.arguments[0], x.size * grad.itemsize, norm.nbytes
        if math.isinf(power):
            return 4 * whole + x.size + norm.size * 8 + one
        if power < 1:
            return max(3 * whole + one, 3 * whole + x.size) * (power != 0)
        if power == 2:
            return 2 * whole + norm.size
        return (
            (2 if power == 1 else 3) * whole if power < 2 else max(2 * whole + one, whole + 2 * one)
        )

    def slope(node, grad, norm, x, power, where):
        if power == 1:
            return sign(x) * grad
        if power == 2:
            return grad * without(norm, x / norm)
        size = abs(x)
        if math.isinf(power):
            winners = (size == norm) | np.isnan(size)
            return sign(x) * (grad / winners.sum(where, grad.dtype, keepdims=True) * winners)
        return by_power(grad, norm, x, size, power)


class LinalgVectorNormBackward0(_Norm):
    """The norm that programs ask for."""

    argument_names = ("ord", "dim", "keepdim", "")


class NormBackward1(_Norm):
    """The same, where it is PyTorch's own code that asks."""

    argument_names = ("p", "dim", "keepdim", "")


# -- functions --


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """(sum of |x| ** ord) ** (1 / ord); inf and -inf: the largest and the smallest |x|."""
    ord = a_number(ord)
    if x._array.dtype.kind != "f":
        raise RuntimeError(messages.NORM_OF_FLOATS.format(x.dtype.scalar_type))
    check_empty(x, ord, several(dim) or ())
    if dtype is not None:
        _check_dtype(x, dtype)
    dtype = (dtype or x.dtype).numpy
    return LinalgVectorNormBackward0.call(x, ord, over(x, dim), flag(keepdim), dtype)


def _check_dtype(x, dtype) -> None:
    """A norm is a float of no fewer digits than what it is of."""
    if not dtype.is_floating_point:
        raise RuntimeError(messages.NORM_IN_FLOATS.format(dtype.scalar_type))
    if dtype.itemsize < x.dtype.itemsize:
        raise RuntimeError(messages.NORM_NARROWED.format(x.dtype.scalar_type, dtype.scalar_type))


def check_empty(x, ord, dim) -> None:
    """Nothing is largest or smallest where there is nothing."""
    if x._array.size or 0 <= ord < math.inf:
        return
    if not dim:
        raise RuntimeError(messages.NORM_OF_NOTHING.format(f"{ord:g}", "an empty tensor because"))
    for number in dim:
        if not x._array.shape[axis(x, number)]:
            where = f"the dimension {number}because this dimension is empty and"
            raise RuntimeError(messages.NORM_OF_NOTHING.format(f"{ord:g}", where))


def norm(x, p="fro", dim=None, keepdim=False, dtype=None):
    """torch.norm: of vectors; "fro" is the square root of the sum of squares."""
    if isinstance(p, str) and p != "fro":
        raise NotImplementedError(messages.NO_MATRIX_NORM)
    several = dim is not None and not isinstance(dim, (int, np.integer))
    if several and isinstance(p, str) and len(dim) > 2:
        found = " ".join(map(str, dim))
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {found}")
    power = {"fro": 2, None: 2.0}[p] if p is None or isinstance(p, str) else p
    return vector_norm(x, power, dim, keepdim, dtype=dtype)


def linalg_norm(x, ord=None, dim=None, keepdim=False, *, dtype=None):
    """torch.linalg.norm, of vectors: `ord` for a matrix would be a norm of another kind."""
    several = dim if isinstance(dim, (tuple, list)) else range(x._array.ndim) if dim is None else ()
    if ord is not None and len(several) == 2:
        raise NotImplementedError(messages.NO_MATRIX_NORM)
    return vector_norm(x, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)


@attach
class Norms(Tensor):
    """Methods of Tensor."""

    norm = norm
