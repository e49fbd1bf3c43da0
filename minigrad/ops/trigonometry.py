"""Angles, hyperbolic functions and the error function: what the slope needs is what is saved."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.arithmetic import Binary, of_floats, only_tensors, operand
from minigrad.ops.elementwise import NegBackward0, RsqrtBackward0
from minigrad.ops.halves import floats, unrounded
from minigrad.ops.normal import tail


def rsqrt(x):
    """1 / sqrt(x), as one operation where it is recorded: arrays have no such method."""
    recorded = getattr(x, "rsqrt", None)
    return recorded() if recorded else RsqrtBackward0.forward(x)


NEAR = 0.5  # nearer to 0 than that, 1 - erfc has few digits of erf


def around_0(x):
    """erf where x is small, by its series: 2 / sqrt(pi) * (x - x**3 / 3 + x**5 / 10 - ...)."""
    total = np.zeros_like(x)
    for n in range(12, -1, -1):
        total = total * (x * x) + (-1) ** n / (math.factorial(n) * (2 * n + 1))
    return 2 / math.pi**0.5 * x * total


# -- those that save their result --


class TanBackward0(Op):
    """tan saves its result: the slope is 1 + tan**2."""

    saves = {"result": "self"}
    peak = 3

    forward = of_floats(np.tan)

    def backward(node, grad, result):
        return grad * (result**2 + 1)


class Expm1Backward0(Op):
    """exp(x) - 1, exact near 0, saves its result."""

    saves = {"result": "self"}
    peak = 2

    forward = of_floats(np.expm1)

    def backward(node, grad, result):
        return grad * (result + 1)


class Exp2Backward0(Op):
    """2**x saves its result."""

    saves = {"result": "self"}
    peak = 2

    forward = of_floats(np.exp2)

    def backward(node, grad, result):
        return grad * result * unrounded(math.log(2), grad)


# -- those that save their input --


class _OfInput(Op):
    saves = {"self": "self"}


class AsinBackward0(_OfInput):
    """asin saves its input: the slope is 1 / sqrt(1 - x**2)."""

    peak = 5
    forward = of_floats(np.arcsin)

    def backward(node, grad, x):
        return grad * rsqrt(-x * x + 1)


class AcosBackward0(_OfInput):
    """acos saves its input: its slope is that of asin downwards."""

    peak = 6
    forward = of_floats(np.arccos)

    def backward(node, grad, x):
        return grad * -rsqrt(-x * x + 1)


class AtanBackward0(_OfInput):
    """atan saves its input: the slope is 1 / (1 + x**2)."""

    peak = 3
    forward = of_floats(np.arctan)

    def backward(node, grad, x):
        return grad / (x * x + 1)


class SinhBackward0(_OfInput):
    """sinh saves its input: the slope is cosh."""

    peak = 2
    forward = of_floats(np.sinh)

    def backward(node, grad, x):
        return grad * np.cosh(x)


class CoshBackward0(_OfInput):
    """cosh saves its input: the slope is sinh."""

    peak = 2
    forward = of_floats(np.cosh)

    def backward(node, grad, x):
        return grad * np.sinh(x)


class AsinhBackward0(_OfInput):
    """asinh saves its input: the slope is 1 / sqrt(x**2 + 1)."""

    peak = 4
    forward = of_floats(np.arcsinh)

    def backward(node, grad, x):
        return grad * rsqrt(x**2 + 1)


class AcoshBackward0(_OfInput):
    """acosh saves its input: the slope is 1 / sqrt(x**2 - 1)."""

    peak = 4
    forward = of_floats(np.arccosh)

    def backward(node, grad, x):
        return grad * rsqrt(x * x - 1)


class AtanhBackward0(_OfInput):
    """atanh saves its input: the slope is 1 / (1 - x**2)."""

    peak = 4
    forward = of_floats(np.arctanh)

    def backward(node, grad, x):
        return grad * 1 / (1 - x**2)


class ErfBackward0(_OfInput):
    """erf saves its input: the slope is that of a bell, 2 / sqrt(pi) * e**(-x**2)."""

    peak = 5
    height = 2 / np.pi**0.5

    @staticmethod
    def forward(x):
        x = floats(x)
        exact = x.astype(np.float64)
        far = np.copysign(1 - tail(np.abs(exact)), exact)
        near = np.clip(exact, -NEAR, NEAR)
        return np.where(np.abs(exact) < NEAR, around_0(near), far).astype(x.dtype)

    def backward(node, grad, x):
        return np.exp(-(x**2)) * unrounded(node.height, x) * grad


class ErfcBackward0(ErfBackward0):
    """erfc, 1 - erf, saves its input."""

    height = -2 / np.pi**0.5

    @staticmethod
    def forward(x):
        x = floats(x)
        exact = x.astype(np.float64)
        share = tail(np.abs(exact))
        return np.where(exact < 0, 2 - share, share).astype(x.dtype)


# -- of two --


class Atan2Backward0(Binary):
    """The angle of the point (other, x) saves both."""

    floating = True
    saves = {"other": "self other", "self": "self other"}
    check = staticmethod(only_tensors)

    @staticmethod
    def forward(x, y):
        return np.arctan2(floats(x), floats(y))

    def backward(node, grad, other, x):
        for_x, for_other = node.needs_input_grad
        size = operand(x * x, grad) + operand(other * other, grad)
        scale = np.where(size == 0, 0, np.reciprocal(size))
        return (
            grad * operand(other, grad) * scale if for_x else None,
            grad * operand(NegBackward0.forward(x), grad) * scale if for_other else None,
        )

    def peak(node, grad, other, x):
        """The sum of the squares, or the scale around 0 being put in and each product's factors."""
        for_x, for_other = node.needs_input_grad
        products = 2 * grad.nbytes * (1 + for_x + for_other) + (x.nbytes if for_other else 0)
        return max(x.nbytes + other.nbytes + grad.nbytes, products)


@attach
class Trigonometry(Tensor):
    """Methods of Tensor."""

    tan, sinh, cosh = TanBackward0.call, SinhBackward0.call, CoshBackward0.call
    asin, acos, atan = AsinBackward0.call, AcosBackward0.call, AtanBackward0.call
    asinh, acosh, atanh = AsinhBackward0.call, AcoshBackward0.call, AtanhBackward0.call
    erf, erfc = ErfBackward0.call, ErfcBackward0.call
    expm1, exp2 = Expm1Backward0.call, Exp2Backward0.call
    atan2 = Atan2Backward0.call
