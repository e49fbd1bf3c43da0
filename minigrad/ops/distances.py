"""cdist: how far each row of one matrix is from each row of another."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.dtypes import float16
from minigrad.core.op import Op
from minigrad.ops import messages
from minigrad.ops.layout import not_in_order


class CdistBackward0(Op):
    """cdist saves both matrices and the distances."""

    inputs = ("x1", "x2")
    saves = {"result": "x1 x2", "x1": "x1 x2", "x2": "x1 x2"}
    argument_names = ("p",)

    @staticmethod
    def forward(x, y, p):
        return ((x[..., :, None, :] - y[..., None, :, :]) ** 2).sum(-1) ** 0.5

    def backward(node, grad, result, x, y):
        apart = x[..., :, None, :] - y[..., None, :, :]
        share = np.where(result == 0, 0, grad / np.where(result == 0, 1, result))[..., None]
        slopes = share * apart  # 0 where the two are one point
        for_x, for_y = node.needs_input_grad
        x_slopes = in_order(slopes.sum(-2)) if for_x else None
        return x_slopes, in_order(-slopes.sum(-3)) if for_y else None

    def peak(node, grad, result, x, y):
        """Each gradient is made of matrices in order: the second one's are turned."""
        for_x, for_y = node.needs_input_grad
        first = (x.nbytes + not_in_order(grad)) * for_x
        copies = not_in_order(grad.T) + not_in_order(result.T)
        return max(first, x.nbytes * for_x + (y.nbytes + copies) * for_y)


def cdist(x, y, p=2.0):
    """The Euclidean distance of each row of `x` from each row of `y`."""
    _check_rows("X1", x)
    _check_rows("X2", y)
    if x.shape[-1] != y.shape[-1]:
        raise RuntimeError(messages.OTHER_COLUMNS.format(x.shape[-1], y.shape[-1]))
    _check_kind("X1", x)
    _check_kind("X2", y)
    if float16 in (x.dtype, y.dtype) and x.numel() and y.numel():
        raise messages.not_implemented("cdist", float16)
    if p != 2 or x.ndim > 2 or y.ndim > 2 or x.dtype is not y.dtype:
        raise NotImplementedError("minigrad's cdist takes p=2 and two matrices of one dtype")
    return CdistBackward0.call(x, y, float(p))


def _check_rows(name, x) -> None:
    if x.ndim < 2:
        raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")


def _check_kind(name, x) -> None:
    if not x.is_floating_point():
        kind = x.dtype.scalar_type
        raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {kind}")
