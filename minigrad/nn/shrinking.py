"""Activations that shrink, cut or bend what is small: functions, and modules without parameters."""

from __future__ import annotations

from minigrad.nn.activations import _Activation
from minigrad.ops import shrinking as ops
from minigrad.ops.inplace import write_over
from minigrad.ops.numbers import a_number
from minigrad.ops.shrinking import hardshrink


def celu(x, alpha: float = 1.0, inplace: bool = False):
    """x where it is positive, else alpha * (e**(x / alpha) - 1)."""
    alpha = a_number(alpha, "alpha", 2)
    if inplace:
        return write_over(
            ops.CeluBackward1, x, arguments=(alpha,), repeated=True
        )  # it looks itself
    return ops.CeluBackward0.call(x, alpha)


def celu_(x, alpha: float = 1.0):
    """celu, written over its input."""
    return celu(x, alpha, inplace=True)


def softshrink(x, lambd: float = 0.5):
    """x, nearer to 0 by `lambd`, and 0 where |x| is not above it."""
    return ops.SoftshrinkBackward0.call(x, a_number(lambd, "lambd", 2))


def threshold(x, threshold: float, value: float, inplace: bool = False):
    """x where it is above `threshold`, else `value`."""
    given = a_number(threshold, "threshold", 2), a_number(value, "value", 3)
    if inplace:
        return write_over(ops.ThresholdBackward1, x, arguments=given, repeated=True)
    return ops.ThresholdBackward0.call(x, *given)


def threshold_(x, threshold: float, value: float):
    """threshold, written over its input."""
    at, value = a_number(threshold, "threshold", 2), a_number(value, "value", 3)
    return write_over(ops.ThresholdBackward1, x, arguments=(at, value), repeated=True)


class CELU(_Activation):
    function, takes = staticmethod(celu), ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        self.alpha, self.inplace = alpha, inplace


class _Shrink(_Activation):
    takes = ("lambd",)

    def __init__(self, lambd: float = 0.5):
        self.lambd = lambd

    def extra_repr(self):
        return str(self.lambd)


class Softshrink(_Shrink):
    function = staticmethod(softshrink)


class Hardshrink(_Shrink):
    function = staticmethod(hardshrink)


class Threshold(_Activation):
    function, takes = staticmethod(threshold), ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False):
        self.threshold, self.value, self.inplace = threshold, value, inplace
