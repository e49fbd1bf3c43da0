"""+ - * / ** and their kin: two operands, and what each gradient needs of the other.

Read `saves` as the answer to: which bytes does this line of the forward keep alive?
"""

from __future__ import annotations

import math
import operator

import numpy as np

from minigrad.core import messages
from minigrad.core.op import Op


def floats(x):
    """Integers become float32 where PyTorch's do: in functions that are not closed over them."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


# -- two operands --


class Binary(Op):
    inputs = stretched = ("self", "other")


class AddBackward0(Binary):
    """x + y saves nothing: both gradients are the incoming one."""

    symbol = "+"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.add

    def backward(node, grad):
        return grad, grad


class SubBackward0(Binary):
    """x - y saves nothing."""

    symbol = "-"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.sub

    def backward(node, grad):
        return grad, -grad if node.needs_input_grad[1] else None


class RsubBackward1(Op):
    """number - x saves nothing, and has one edge only."""

    argument_names = ("", "alpha")

    @staticmethod
    def forward(x, number, alpha):
        if x.dtype == bool:
            raise RuntimeError(messages.BOOL_NEGATED.format("Subtraction", "with"))
        return number - x

    def backward(node, grad):
        return -grad


class MulBackward0(Binary):
    """x * y saves y for x's gradient and x for y's: a factor's bytes per gradient wanted."""

    symbol = "*"
    saves = {"self": "other", "other": "self"}

    forward = operator.mul

    def backward(node, grad, x, y):
        return None if y is None else grad * y, None if x is None else grad * x


class DivBackward0(Binary):
    """x / y saves y, and x too if y needs a gradient."""

    symbol = "/"
    saves = {"self": "other", "other": "self other"}

    @staticmethod
    def forward(x, y):
        return floats(x) / (floats(y) if hasattr(y, "dtype") else y)

    def backward(node, grad, x, y):
        return grad / y, None if x is None else -grad * (x / y) / y


class PowBackward0(Op):
    """x ** number saves x, even for the exponents 1 and 0."""

    saves = {"self": "self"}
    argument_names = ("exponent",)

    @staticmethod
    def forward(x, exponent):
        return (floats(x) if isinstance(exponent, float) else x) ** exponent

    def backward(node, grad, x):
        (exponent,) = node.arguments
        return grad * (exponent * x ** (exponent - 1)) if exponent else np.zeros_like(x)


class PowBackward1(Binary):
    """x ** y saves everything: x, y and the result."""

    inputs = stretched = ("self", "exponent")
    saves = {"self": "self exponent", "exponent": "self exponent", "result": "self exponent"}

    forward = operator.pow

    def backward(node, grad, x, y, result):
        for_x, for_y = node.needs_input_grad
        log = np.log(np.where(x == 0, 1, x))  # 0 ** y has slope 0 in y for y >= 0
        return (
            grad * np.where(y == 0, 0, y * x ** (y - 1)) if for_x else None,
            grad * (result * log) if for_y else None,
        )


class PowBackward2(Op):
    """number ** x saves x and the result."""

    saves = {"exponent": "exponent", "result": "exponent"}
    inputs = ("exponent",)
    argument_names = ("self",)

    @staticmethod
    def forward(x, base):
        return base ** (x if isinstance(base, int) else floats(x))

    def backward(node, grad, x, result):
        (base,) = node.arguments
        return grad * (result * math.log(base)) if base else np.zeros_like(x)


def shared_win(grad, x, y) -> tuple:
    """The gradient for whichever is larger; half each where they are equal."""
    half = np.where(x == y, grad / 2, grad)
    return np.where(x >= y, half, 0), np.where(y >= x, half, 0)


class MaximumBackward0(Binary):
    """max(x, y) saves both always; where they are equal, each gets half."""

    saves = {"self": "self other", "other": "self other"}

    forward = np.maximum

    def backward(node, grad, x, y):
        return shared_win(grad, x, y)


class MinimumBackward0(Binary):
    """min(x, y) saves both always; where they are equal, each gets half."""

    saves = {"self": "self other", "other": "self other"}

    forward = np.minimum

    def backward(node, grad, x, y):
        return shared_win(grad, y, x)


class WhereBackward0(Op):
    """where(condition, x, y) saves the condition: one byte per element."""

    inputs = stretched = ("self", "other")
    extras = ("condition",)
    saves = {"condition": "self other"}

    @staticmethod
    def forward(x, y, condition):
        return np.where(condition, x, y)

    def backward(node, grad, condition):
        return np.where(condition, grad, 0), np.where(condition, 0, grad)
