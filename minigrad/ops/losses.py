"""Softmax, and the losses at the end of a net."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import added, dense, in_order
from minigrad.core.backend import beside
from minigrad.core.op import Op
from minigrad.core.promotion import promoted
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import like, only_floats
from minigrad.ops.copies import convert
from minigrad.ops.halves import wide
from minigrad.ops.means import mean_of
from minigrad.ops.numbers import of_kernels
from minigrad.ops.shapes import Shown, axis


class SoftmaxBackward0(Shown):
    """softmax saves its result."""

    saves = {"result": "self"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        dim = dim if x.ndim else ()
        result = np.empty_like(x, of_kernels(x.dtype), order="C")
        np.subtract(x, largest(x, dim), out=result, dtype=result.dtype)
        np.exp(result, out=result)
        result /= result.sum(dim, keepdims=True)
        return like(result, x)

    def backward(node, grad, result):
        (dim,) = node.arguments if grad.ndim else ((),)
        both = wide(grad), wide(result)
        return like(both[1] * (both[0] - added(both[0] * both[1], dim, keepdims=True)), grad)


class LogSoftmaxBackward0(Shown):
    """log_softmax saves its result."""

    saves = {"result": "self"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        dim = dim if x.ndim else ()
        result = np.empty_like(x, of_kernels(x.dtype), order="C")
        np.subtract(x, largest(x, dim), out=result, dtype=result.dtype)
        result -= np.log(np.exp(result).sum(dim, keepdims=True))
        return like(result, x)

    def backward(node, grad, result):
        (dim,) = node.arguments if grad.ndim else ((),)
        given = wide(grad)
        return like(given - np.exp(wide(result)) * added(given, dim, keepdims=True), grad)


def largest(x, dim):
    """The largest elements along `dim`, to be subtracted; of no elements there is none."""
    return x.max(dim, keepdims=True) if x.size else 0


def mse_slope(grad, x, target, reduction):
    """The gradient of the mean, or the sum, of (x - target)**2."""
    difference = x - target
    return difference * (grad * (2 / max(difference.size, 1) if reduction == 1 else 2))


def in_floats(x, target, kernel):
    """Both in their common dtype, of which PyTorch's kernel of this name wants a float."""
    x, target = promoted(x, target)
    only_floats(x, kernel)
    return x, target


def reduced(losses, reduction):
    """Each loss (0), their mean (1) or their sum (2)."""
    if reduction == 0:
        return losses
    return mean_of(losses) if reduction == 1 else losses.sum()


def left_in_place(losses, reduction):
    """The same; PyTorch leaves it in the buffer of the losses: 0-d, yet as many bytes as these."""
    if reduction == 0 or not losses.size:
        return reduced(losses, reduction)
    first = losses.reshape(-1)[:1]
    first[...] = reduced(losses, reduction)
    return first.reshape(())


class MseLossBackward0(Op):
    """mse_loss saves both its input and the target; the difference is computed again."""

    inputs = stretched = ("self", "target")
    saves = {"self": "self target", "target": "self target"}
    argument_names = ("reduction",)

    @staticmethod
    def forward(x, target, reduction):
        x, target = in_floats(x, target, "mse_cpu")
        return left_in_place(np.square(x - target), reduction)

    def backward(node, grad, x, target):
        for_x, for_target = node.needs_input_grad
        return (
            in_order(mse_slope(grad, x, target, *node.arguments)) if for_x else None,
            in_order(mse_slope(grad, target, x, *node.arguments)) if for_target else None,
        )


def places(x, target):
    """The index of one element in each row of `x`, or of the one in a single row; axis 1 has the
    classes.
    """
    if x.ndim == 1:
        return target
    batch, *others = (beside(grid, x) for grid in np.indices(target.shape, sparse=True))
    return batch, target, *others


def rows(x) -> tuple:
    """The shape of one number for each row, or for each place."""
    return () if x.ndim == 1 else (*x.shape[:1], *x.shape[2:])


def weighted(values, weight, classes):
    """Each value as often as its class counts."""
    return values if weight is None else values * weight.reshape(-1)[classes]


class NllLossBackward0(Shown):
    """The end of cross_entropy saves the log-probabilities, the classes, and how many count."""

    extras = ("target", "weight", "total_weight")
    saves = {"self": "self", "target": "self", "weight": "self", "total_weight": "self"}
    argument_names = ("reduction", "ignore_index")

    @staticmethod
    def forward(x, target, weight, total, reduction, ignored):
        counts = target != ignored
        classes = target * counts
        losses = np.where(counts, -weighted(x[places(x, classes)], weight, classes), 0)
        if reduction == 0:
            return losses.reshape(rows(x))  # of a single row also where there is a list of one
        return losses.sum() / total if reduction == 1 else losses.sum()

    def backward(node, grad, x, target, weight, total):
        reduction, ignored = node.arguments
        if x.ndim == target.ndim:  # which forward takes, of a single row
            sizes = f"input: {[*x.shape]}, target: {[*target.shape]}"
            raise RuntimeError(f"size mismatch (got {sizes})")
        counts = target != ignored
        classes = target * counts
        slope = -weighted(grad, weight, classes)
        slope = np.where(counts, slope / (total if reduction == 1 else 1), 0)
        result = np.zeros_like(x)
        result[places(x, classes)] = slope
        return result


class NllLoss2DBackward0(NllLossBackward0):
    """The same for the places of images, whose classes stand in axis 1."""

    def backward(node, grad, x, target, weight, total):
        if dense(x) and not x.flags.c_contiguous:
            raise RuntimeError("grad_input must be contiguous")
        if target.dtype != np.int64:
            raise RuntimeError(messages.OTHER_DTYPE.format("Long", "Byte"))
        return NllLossBackward0.backward(node, grad, x, target, weight, total)


def softmax_of(op, x, dim, dtype, name):
    """softmax and log_softmax, which exist for floats only; in any dtype."""
    x = x if dtype is None else convert(x, dtype)
    dim = axis(x, dim)
    if not x._array.size and x._array.dtype.kind != "f":
        return x.clone()
    last = "lastdim_" if dim == max(x._array.ndim, 1) - 1 else ""
    only_floats(x._array, f"{name}_{last}kernel_impl")
    return op.call(x, dim)


@attach
class Softmax(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def softmax(x, dim, dtype=None):
        return softmax_of(SoftmaxBackward0, x, dim, dtype, "softmax")
    def log_softmax(x, dim, dtype=None):
        return softmax_of(LogSoftmaxBackward0, x, dim, dtype, "log_softmax")
    # fmt: on
