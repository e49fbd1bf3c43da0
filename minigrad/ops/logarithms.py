"""log and its kin: the slope is 1 over the input, so they save that."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.op import Op
from minigrad.core.stand_ins import StandIn
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import Binary, floats, like, of_floats, only_floats, only_tensors
from minigrad.ops.halves import in_whole_floats, unrounded
from minigrad.ops.numbers import a_float, converted


class LogBackward0(Op):
    """log saves its input: the slope is 1 / x."""

    saves = {"self": "self"}

    forward = of_floats(np.log)

    def backward(node, grad, x):
        return grad / x


class Log1PBackward0(Op):
    """log(1 + x), exact near 0, saves its input."""

    saves = {"self": "self"}
    peak = 2

    forward = of_floats(np.log1p)

    def backward(node, grad, x):
        return grad / (x + 1)


class _LogOfBase(Op):
    saves = {"self": "self"}
    peak = 2
    base: float

    def backward(node, grad, x):
        return grad / (x * unrounded(math.log(node.base), x))


class Log2Backward0(_LogOfBase):
    """log to base 2 saves its input."""

    base = 2.0

    forward = of_floats(np.log2)


class Log10Backward0(_LogOfBase):
    """log to base 10 saves its input."""

    base = 10.0

    @staticmethod
    def forward(x):
        x = floats(x)
        return np.log10(x, dtype=np.float64).astype(x.dtype)  # exact at powers of ten


def in_dtype_of(grad, one):
    """What was saved, in the dtype of the result; PyTorch subtracts no bools."""
    if one.dtype == bool:
        raise RuntimeError(messages.MINUS_BOOL)
    return one if isinstance(one, StandIn) else like(one, grad)


class LogaddexpBackward0(Binary):
    """log(e**x + e**y), without an overflow, saves both always."""

    saves = {"other": "self other", "self": "self other"}
    check = staticmethod(only_tensors)

    @staticmethod
    @in_whole_floats
    def forward(x, y):
        np.broadcast_shapes(x.shape, y.shape)  # an error before that of the dtype
        only_floats(x, "logaddexp_cpu")
        return np.logaddexp(x, y)

    def backward(node, grad, other, x):
        for_x, for_other = node.needs_input_grad
        other, x = (in_dtype_of(grad, one) for one in (other, x))
        return (
            grad / (np.exp(other - x) + 1) if for_x else None,
            grad / (np.exp(x - other) + 1) if for_other else None,
        )

    def peak(node, grad, other, x):
        """The first gradient, and the four steps to the last."""
        return (3 + sum(node.needs_input_grad)) * grad.nbytes


class LogitBackward0(Op):
    """log(x / (1 - x)) saves its input; one that comes nearer to 0 or 1 than `eps` is kept off."""

    saves = {"self": "self"}
    argument_names = ("eps",)

    @staticmethod
    def forward(x, eps):
        x = floats(x)
        if eps is not None:
            low = converted(eps, x.dtype)
            x = np.where(x < low, low, np.where(x > 1 - low, 1 - low, x))
        return np.log(x / (1 - x))

    def backward(node, grad, x):
        (eps,) = node.arguments
        given = eps is not None and eps >= 0
        low = eps if given else 0
        outside = np.logical_or(x < low, x > 1 - low)
        return np.where(outside, 0 if given else np.nan, grad / abs(x * (1 - x)))


def logit(x, eps=None):
    """The logarithm of x / (1 - x), of probabilities; with `eps` of the nearest in [eps, 1 - eps].

    >>> mg.tensor([0.5, 0.9]).logit()
    tensor([0.0000, 2.1972])
    """
    return LogitBackward0.call(x, closeness(eps))


def closeness(eps):
    """How near to 0 and 1: a float, or None."""
    return eps if eps is None else a_float(eps, "eps")


@attach
class Logarithms(Tensor):
    """Methods of Tensor."""

    logit, logaddexp = logit, LogaddexpBackward0.call
    log, log1p = LogBackward0.call, Log1PBackward0.call
    log2, log10 = Log2Backward0.call, Log10Backward0.call
