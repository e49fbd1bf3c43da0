"""cumsum, cumprod, and the logarithm of a sum of exponentials, of all or up to each place."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import WIDER, added, in_order
from minigrad.core.dtypes import bool_, get_default_dtype
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.copies import convert
from minigrad.ops.rearranged import flipped
from minigrad.ops.reduce import along, check_autograd, in_dtype, keeps, summed, with_axes
from minigrad.ops.shapes import Shown, axes, axis, flag, once, parsed


def adds_up(grad, dim) -> bool:
    """Is there more than one element along the axis of a cumsum or cumprod?"""
    return grad.size > 1 and grad.shape[dim] > 1


def running(name, x, dim, dtype):
    """cumsum or cumprod in this dtype; on the way a number has more digits, as in PyTorch."""
    result = np.empty_like(x, dtype, order="C")
    if x.ndim:
        return getattr(x, name)(dim, dtype=WIDER.get(result.dtype.char), out=result)
    result[...] = x
    return result


def from_end(x, dim):
    """The cumulative sum from the other end; the last one comes first."""
    return running("cumsum", np.flip(x, dim), dim, x.dtype)


class CumsumBackward0(Shown):
    """cumsum saves nothing: its gradient is the cumulative sum from the other end."""

    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        return running("cumsum", x, dim, summed(x))

    def backward(node, grad):
        (dim,) = node.arguments
        if not adds_up(grad, dim):
            return grad
        return flipped(from_end(grad, dim), dim)

    def peak(node, grad):
        return 3 * grad.nbytes * adds_up(grad, *node.arguments)


class CumprodBackward0(Shown):
    """cumprod saves its input and its result; backward divides by the elements if it may."""

    saves = {"result": "self", "self": "self"}
    stretched = ("self",)
    argument_names = ("dim", "")

    @staticmethod
    def forward(x, dim, dtype):
        return running("cumprod", x.astype(dtype, copy=False), dim, dtype)

    def backward(node, grad, result, x):
        dim = node.arguments[0]
        if not adds_up(grad, dim):
            return grad
        along = (np.moveaxis(a, dim, 0) for a in (grad, result, x.astype(grad.dtype, copy=False)))
        return in_order(np.moveaxis(slopes_of_prod(*along), 0, dim))

    def peak(node, grad, result, x):
        """The gradient times the result, turned, added up and turned again; where a 0 is."""
        return (4 * grad.nbytes + x.size) * adds_up(grad, node.arguments[0])


def slopes_of_prod(grad, result, x):
    """The slopes of cumprod along the first axis: before the first 0 by division, of it by the
    products behind it up to the next 0, and 0 from there on."""
    zeros = (x == 0).cumsum(0, dtype=np.int32)
    before, once = zeros == 0, zeros == 1
    total = np.flip(from_end(np.where(before, grad * result, 0), 0), 0)
    slopes = total / np.where(before, x, 1)
    behind = np.where(once & (x != 0), x, 1).cumprod(0) * np.where(once, grad, 0)
    up_to = np.concatenate([np.ones_like(result[:1]), result[:-1]])
    return np.where(once & (x == 0), behind.sum(0) * up_to, slopes)


class LogsumexpBackward0(Shown):
    """logsumexp saves its input and its result: the slope is the softmax."""

    saves = {"result": "self", "self": "self"}
    argument_names = ("dim", "keepdim")

    @staticmethod
    def forward(x, dim, keepdim):
        dim = along(x, dim)
        if not x.size:
            return np.log(x.sum(dim, keepdims=keepdim))
        top = x.max(dim, keepdims=True)
        top = np.where(abs(top) == np.inf, 0, top)
        total = np.log(added(np.exp(x - top), dim, keepdims=True)) + top
        return in_order(total if keepdim else total.squeeze(dim))

    def backward(node, grad, result, x):
        dim, keepdim = node.arguments
        grad, result = (with_axes(a, dim, keepdim or not x.ndim) for a in (grad, result))
        return grad * np.exp(x - result)

    def peak(node, grad, result, x):
        return 3 * x.nbytes


class LogcumsumexpBackward0(Shown):
    """logcumsumexp saves its input and its result; the gradient is computed by its logarithm."""

    saves = {"result": "self", "self": "self"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        only_floats(x, "logcumsumexp_out_cpu")
        if not (x.ndim and x.size):
            return x.copy("C")
        dtype: Any = WIDER.get(x.dtype.char, x.dtype)
        total = np.empty_like(x, dtype, order="C")
        to, rows = np.moveaxis(total, dim, 0), np.moveaxis(x, dim, 0)
        to[0] = rows[0]
        for i in range(1, len(rows)):
            to[i] = np.logaddexp(to[i - 1], rows[i])
        return total.astype(x.dtype, copy=False)

    def backward(node, grad, result, x):
        if not (grad.ndim and grad.size):
            return grad
        dim, size = node.arguments[0], np.log(abs(grad))
        lowest = float(np.finfo(grad.dtype).min)

        def part(there):
            logs = np.flip(np.where(there, size, lowest) - result, dim)
            return np.exp(np.flip(LogcumsumexpBackward0.forward(logs, dim), dim) + x)

        return part(grad > 0) - part(grad < 0)

    def peak(node, grad, result, x):
        """The logarithms, one of the two results, and five steps on the way to the other."""
        return 8 * grad.nbytes + grad.itemsize if grad.ndim and grad.size else 0


# -- methods --


def check_cumulative(x, dtype, name) -> None:
    """Truth values are counted, but not in truth values."""
    if dtype is bool_ and x._array.size and x._array.ndim:
        raise messages.not_implemented(f"{name}_out_cpu", bool_)


def cumsum(x, dim, *, dtype=None):
    """The sum of the elements up to each place along `dim`; integers become int64."""
    given = (axis(x, dim),)
    check_cumulative(x, dtype, "cumsum")
    if dtype is None or keeps(x, dtype):
        return CumsumBackward0.call(x, *given)
    return in_dtype(x, dtype, CumsumBackward0, given)


def cumprod(x, dim, *, dtype=None):
    """The product of the elements up to each place along `dim`; integers become int64."""
    axis(x, dim, name="dim")
    check_cumulative(x, dtype, "cumprod")
    check_autograd(x, dtype)
    kind = dtype.numpy if dtype else np.dtype(summed(x._array))
    return CumprodBackward0.call(x, dim, kind)


def logsumexp(x, dim, keepdim=False):
    """log(sum(exp(x))) along an axis or several, without an overflow."""
    dim = parsed(tuple(dim)) if isinstance(dim, (tuple, list)) else (dim,)
    if not dim and x._array.ndim and not keepdim and x._array.size:
        raise RuntimeError(messages.NO_ROOM.format([], [1] * x._array.ndim))
    once(axes(x, dim))
    x = x if x.is_floating_point() else convert(x, get_default_dtype())
    return LogsumexpBackward0.call(x, dim, flag(keepdim))


def logcumsumexp(x, dim):
    """log(sum(exp(x))) of the elements up to each place along `dim`, without an overflow."""
    return LogcumsumexpBackward0.call(x, axis(x, dim, name="dim"))


@attach
class Cumulative(Tensor):
    """Methods of Tensor."""

    cumsum, cumprod = cumsum, cumprod
    logsumexp, logcumsumexp = logsumexp, logcumsumexp
