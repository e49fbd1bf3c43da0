"""Activations that put something else in the place of small numbers: shrinks, threshold, celu."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.activations import EluBackward0, EluBackward1
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.checks import check_single
from minigrad.ops.elementwise import kept
from minigrad.ops.halves import in_whole_floats
from minigrad.ops.numbers import a_number, converted, of_kernel

RANGE = "lambda must be in range [0, {:.6g}] for input dtype {}, but found {:.6g}"


def small(x, bound):
    """Where |x| is not above the bound; nowhere if that is negative or nan."""
    return (x >= -bound) & (x <= bound)


class _Shrink(Op):
    """The gradient passes where the input is not small."""

    saves = {"self": "self"}
    argument_names = ("lambd",)

    def backward(node, grad, x):
        return kept(grad, ~small(x, node.arguments[0]))


class SoftshrinkBackward0(_Shrink):
    """softshrink, x nearer to 0 by lambd, saves its input."""

    @staticmethod
    def forward(x, bound):
        only_floats(x, "softshrink_check")
        check_range(bound, x.dtype)
        return nearer(x, bound)


@in_whole_floats
def nearer(x, bound):
    """x, nearer to 0; what is as small as the bound is 0 of its sign."""
    return np.where(x > bound, x - bound, np.where(x < -bound, x + bound, x * 0))


def check_range(bound, dtype) -> None:
    """By how much a float of this dtype can shrink."""
    if not 0 <= bound <= np.finfo(dtype).max:
        kind = BY_NUMPY[dtype].scalar_type
        raise RuntimeError(RANGE.format(float(np.finfo(dtype).max), kind, bound))


class HardshrinkBackward0(_Shrink):
    """hardshrink, x or 0 where it is small, saves its input."""

    @staticmethod
    def forward(x, bound):
        only_floats(x, "hardshrink_cpu")
        return kept(x, ~small(x, converted(bound, x.dtype)))


def below(x, threshold):
    """Where x is not above the threshold, a number that is not rounded to a half float."""
    return (x.astype(np.float32) if x.dtype == np.float16 else x) <= threshold


class _Threshold(Op):
    saves = {"self": "self"}
    argument_names = ("threshold", "")

    @staticmethod
    def forward(x, threshold, value):
        if x.dtype == bool:
            raise messages.not_implemented("threshold_cpu", BY_NUMPY[x.dtype])
        threshold, value = of_kernel(threshold, x.dtype), converted(value, x.dtype)
        return np.where(below(x, threshold), value, x).astype(x.dtype, copy=False)

    def backward(node, grad, x):
        return kept(grad, ~below(x, node.arguments[0]))


class ThresholdBackward0(_Threshold):
    """threshold, x or a number where it is not above another, saves its input."""


class ThresholdBackward1(_Threshold):
    """threshold in place saves what its input was."""


def check_alpha(alpha) -> None:
    """celu divides by it."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


class _Celu(Op):
    """elu of x / alpha, times alpha: the gradient is that of elu with these numbers."""

    argument_names = ("alpha",)
    elu: Any

    @staticmethod
    def forward(x, alpha):
        check_alpha(alpha)
        only_floats(x, "elu_cpu")
        of_kernel(alpha, x.dtype)
        of_kernel(1 / alpha, x.dtype)
        return EluBackward0.forward(x, alpha, 1, 1 / alpha)

    def backward(node, grad, kept):
        (alpha,) = node.arguments
        rate = 1 / converted(alpha, np.dtype(np.float32))  # also of doubles, as PyTorch's formula
        return node.elu.backward(SimpleNamespace(arguments=(alpha, 1, rate)), grad, kept)


class CeluBackward0(_Celu):
    """celu saves its input."""

    saves = {"self": "self"}
    elu = EluBackward0


class CeluBackward1(_Celu):
    """celu in place saves its result, as elu does."""

    saves = {"result": "self"}
    elu = EluBackward1

    @staticmethod
    def forward(x, alpha):
        check_alpha(alpha)
        check_single(x)
        return _Celu.forward(x, alpha)


# -- methods --


def hardshrink(x, lambd=0.5):
    """x, and 0 where |x| is not above `lambd`."""
    return HardshrinkBackward0.call(x, a_number(lambd, "lambd"))


@attach
class Shrinking(Tensor):
    """Methods of Tensor."""

    hardshrink = hardshrink
