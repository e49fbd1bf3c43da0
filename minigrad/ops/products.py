"""prod: each element's gradient is the product of all the others."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.stand_ins import StandIn
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.reading import seen
from minigrad.ops.reduce import check_autograd, check_keepdim, with_axes
from minigrad.ops.shapes import ALL, Shown, axis, flag


def product(x, where, keepdim, dtype):
    """The product of an array along an axis, or of all; of half floats each step is rounded."""
    if x.dtype == dtype == np.float16 and x.size and x.ndim:
        flat = x.reshape(-1) if where is None else x
        steps = flat.cumprod(where or 0)
        last = steps.take([-1], where or 0)
        return last if keepdim else last.squeeze(where or 0)
    return in_order(x.prod(where if x.ndim else None, dtype=dtype, keepdims=keepdim))


def of_others(x, dim):
    """For each element the product of the others along the axis: of those before and after."""
    if not x.size:
        return x
    shape = [1 if i == dim % x.ndim else n for i, n in enumerate(x.shape)]
    one = np.ones_like(x, shape=shape)
    inner = np.take(x, range(x.shape[dim] - 1), dim), np.take(x, range(1, x.shape[dim]), dim)
    before = np.concatenate([one, inner[0].cumprod(dim)], dim)
    after = np.concatenate([np.flip(np.flip(inner[1], dim).cumprod(dim), dim), one], dim)
    return before * after


def zeros(x) -> int:
    """How many elements are 0, on which the peak depends; a replay, which books nothing, is not
    to look."""
    return 0 if isinstance(x, StandIn) else seen(int((x == 0).sum()))


class ProdBackward0(Shown):
    """prod() saves its input and its result, by which backward divides where it can."""

    saves = {"result": "self", "self": "self"}
    stretched = ("self",)
    argument_names = ("",)

    @staticmethod
    def forward(x, dtype):
        return product(x, None, False, dtype)

    def backward(node, grad, result, x):
        x = x.astype(grad.dtype, copy=False)
        if not x.ndim:
            return grad
        gone = (x == 0).sum()
        others = of_others(x.reshape(-1), 0).reshape(x.shape)
        slope = grad * np.where(gone == 0, result / x, others)
        return np.where(gone > 1, 0, slope)  # also if the gradient is nan

    def peak(node, grad, result, x):
        """The quotient, or with one zero the products of those before and after; where they are."""
        found = zeros(x)
        return (2, 6, 1)[min(found, 2)] * x.size * grad.itemsize * (x.ndim > 0) + 8 * x.ndim * found


class ProdBackward1(Shown):
    """prod(dim) saves its input and its result."""

    saves = {"result": "self", "self": "self"}
    stretched = ("self",)
    argument_names = ("dim", "keepdim", "")

    @staticmethod
    def forward(x, dim, keepdim, dtype):
        return product(x, dim, keepdim, dtype)

    def backward(node, grad, result, x):
        (dim, keepdim, _), x = node.arguments, x.astype(grad.dtype, copy=False)
        if not x.ndim:
            return grad
        grad, result = (with_axes(a, dim, keepdim) for a in (grad, result))
        return grad * np.where((x != 0).all(), result / x, of_others(x, dim))

    def peak(node, grad, result, x):
        """The same, and how many zeros are in each row, if there are none."""
        whole = x.size * grad.itemsize * (x.ndim > 0)
        return 6 * whole if zeros(x) else 2 * whole + x.size + 8 * result.size


# -- methods --


def _check_axis(x, dim) -> None:
    """One axis, where sum() takes several."""
    axis(x, dim, name="dim")


def prod(x, dim=ALL, keepdim=None, *, dtype=None):
    """The product of all elements, or along `dim`; integers become int64."""
    kind = dtype.numpy if dtype else x._array.dtype
    if dtype is None and kind.kind != "f":
        kind = np.dtype(np.int64)
    if dim is ALL:
        check_keepdim(keepdim, "prod")
        check_autograd(x, dtype)
        return ProdBackward0.call(x, kind)
    _check_axis(x, dim)
    check_autograd(x, dtype)
    return ProdBackward1.call(x, dim, flag(keepdim), kind)


@attach
class Products(Tensor):
    """Methods of Tensor."""

    prod = prod
