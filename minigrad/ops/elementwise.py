"""Functions of one variable: each element by itself.

Read `saves` as the answer to: which bytes does this line of the forward keep alive?
"""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.arrays import cast
from minigrad.core.dtypes import bool_
from minigrad.core.op import Op
from minigrad.core.promotion import in_range, plain, result_dtype
from minigrad.core.stand_ins import StandIn
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import floats, of_floats
from minigrad.ops.halves import in_whole_floats, wide
from minigrad.ops.layout import copied
from minigrad.ops.numbers import converted

# -- one operand that saves nothing --


class NegBackward0(Op):
    """-x saves nothing."""

    @staticmethod
    def forward(x):
        if x.dtype == bool:
            raise RuntimeError(messages.BOOL_NEGATED.format("Negation", "on"))
        return -x

    def backward(node, grad):
        return -grad


# -- one operand that saves its result --


class ExpBackward0(Op):
    """exp saves its result: the slope of e**x is e**x."""

    saves = {"result": "self"}

    forward = of_floats(np.exp)

    def backward(node, grad, result):
        return grad * result


class SqrtBackward0(Op):
    """sqrt saves its result."""

    saves = {"result": "self"}
    peak = 2

    forward = of_floats(np.sqrt)

    def backward(node, grad, result):
        return grad / (2 * result)


class RsqrtBackward0(Op):
    """1 / sqrt(x) saves its result."""

    saves = {"result": "self"}
    peak = 3

    @staticmethod
    @in_whole_floats
    def forward(x):
        return 1 / np.sqrt(floats(x))

    def backward(node, grad, result):
        return -0.5 * grad * result**3


class TanhBackward0(Op):
    """tanh saves its result: the slope is 1 - tanh**2."""

    saves = {"result": "self"}

    forward = of_floats(np.tanh)

    @in_whole_floats
    def backward(node, grad, result):
        return grad * (1 - result * result)


def kept(array, keep):
    """`array` of floats where `keep`, and 0 elsewhere: np.where(keep, array, 0).

    The bits are multiplied, as whole numbers. Of floats inf * 0 would be nan; and np.where asks at
    each element, which takes four times as long where nobody can guess the answer.
    """
    shown = isinstance(array, StandIn)
    if shown:
        return np.where(keep, array, 0)
    result, bits = np.empty_like(array), f"i{array.dtype.itemsize}"
    np.multiply(array.view(bits), keep, out=result.view(bits))
    return result


class SigmoidBackward0(Op):
    """sigmoid saves its result: the slope is s * (1 - s)."""

    saves = {"result": "self"}

    @staticmethod
    def forward(x):
        result = np.exp(-wide(x))  # inf for a large -x: its reciprocal is 0, as it should be
        result += 1
        return (1 / result).astype(floats(x).dtype, copy=False)

    def backward(node, grad, result):
        return grad * (1 - result) * result


class ReluBackward0(Op):
    """relu saves its result: the gradient passes where it is positive."""

    saves = {"result": "self"}

    @staticmethod
    def forward(x):
        if x.dtype == bool:
            raise RuntimeError("Boolean inputs not supported for relu")
        return np.maximum(x, 0)

    def backward(node, grad, result):
        return kept(grad, ~(result <= 0))


class ReciprocalBackward0(Op):
    """1 / x saves its result."""

    saves = {"result": "self"}
    peak = 3

    @staticmethod
    def forward(x):
        return 1 / floats(x)

    def backward(node, grad, result):
        return -grad * (result * result)


# -- one operand that saves it --


class SinBackward0(Op):
    """sin saves its input."""

    saves = {"self": "self"}
    peak = 2

    forward = of_floats(np.sin)

    def backward(node, grad, x):
        return grad * np.cos(x)


class CosBackward0(Op):
    """cos saves its input."""

    saves = {"self": "self"}
    peak = 3

    forward = of_floats(np.cos)

    def backward(node, grad, x):
        return grad * -np.sin(x)


class AbsBackward0(Op):
    """|x| saves its input: the slope is its sign."""

    saves = {"self": "self"}
    peak = 2

    @staticmethod
    def forward(x):
        if x.dtype == bool:
            raise messages.not_implemented("abs_cpu", bool_)
        return np.abs(x)

    def backward(node, grad, x):
        return grad * sign(x)


class SignBackward0(Op):
    """sign saves nothing: its slope is 0."""

    @staticmethod
    def forward(x):
        if x.dtype == bool:
            return copied(x, x.dtype)
        found = (x > 0).astype(x.dtype)
        found -= x < 0  # of nan neither holds
        return found

    def backward(node, grad):
        return np.zeros_like(grad)


class ClampBackward1(Op):
    """clamp saves its input: the gradient passes inside the bounds, bounds included."""

    saves = {"self": "self"}
    argument_names = ("min", "max")

    @staticmethod
    def forward(x, low, high):
        dtype = clamped_in(x, low, high)
        if dtype.kind == "b":
            side = "" if None not in (low, high) else "_min" if high is None else "_max"
            raise messages.not_implemented(f"clamp{side}_scalar_cpu", bool_)
        low, high = bounds(low, high, dtype)
        return np.clip(x if x.dtype == dtype else cast(x, dtype), low, high)

    def backward(node, grad, x):
        low, high = node.arguments
        inside = (low is None or x >= low) & (high is None or x <= high)
        return kept(grad, inside)

    def peak(node, grad, x):
        """A mask for each bound, and the 0 as a tensor."""
        return grad.nbytes + grad.itemsize + x.size * (2 - node.arguments.count(None))


class ClampMinBackward0(Op):
    """clamp_min saves its input, as clamp does."""

    saves = {"self": "self"}
    argument_names = ("min",)

    @staticmethod
    def forward(x, low):
        return ClampBackward1.forward(x, low, None)

    def backward(node, grad, x):
        return kept(grad, x >= node.arguments[0])

    def peak(node, grad, x):
        return grad.nbytes + grad.itemsize + x.size


# -- methods --


def sign(x):
    """-1, 0 or 1, and 0 of nan."""
    return np.sign(np.nan_to_num(x))


def bounds(low, high, dtype) -> tuple:
    """Of clamp, in this dtype; where one is nan so is the result, and the other does not count."""
    if low != low or high != high:
        return math.nan, math.nan
    return tuple(None if number is None else converted(number, dtype) for number in (low, high))


def clamped_in(x, low, high):
    """The dtype of an array between two numbers."""
    return result_dtype(x, *(number for number in (low, high) if number is not None))


def checked_bounds(low, high) -> tuple:
    """The two numbers of clamp, of which one may be missing."""
    if low is None and high is None:
        raise RuntimeError(messages.CLAMP_TO_NOTHING)
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        raise NotImplementedError("minigrad clamps between numbers: use maximum() and minimum()")
    low, high = plain(low), plain(high)
    for number in (low, high):
        in_range(number, np.dtype(float))
    return low, high


@attach
class Elementwise(Tensor):
    """Methods of Tensor."""

    __neg__ = neg = NegBackward0.call
    __abs__ = abs = AbsBackward0.call
    exp, sqrt = ExpBackward0.call, SqrtBackward0.call
    sin, cos, tanh = SinBackward0.call, CosBackward0.call, TanhBackward0.call
    sigmoid, relu = SigmoidBackward0.call, ReluBackward0.call
    reciprocal = ReciprocalBackward0.call

    rsqrt, sign = RsqrtBackward0.call, SignBackward0.call

    def clamp(x, min=None, max=None):
        return ClampBackward1.call(x, *checked_bounds(min, max))

    clip = clamp

    def clamp_min(x, min):
        return ClampMinBackward0.call(x, checked_bounds(min, None)[0])

    def isfinite(x):
        same = x == x
        if not x.is_floating_point():
            return same
        size = x.abs()  # with a name: PyTorch has it until the end
        return same * (size != math.inf)
