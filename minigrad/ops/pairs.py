"""What losses and distances are composed of: xlogy, a norm, sums and products with a number."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.core.promotion import beside_number
from minigrad.ops.arithmetic import AddBackward0, Binary, MulBackward0
from minigrad.ops.vector_norm import LinalgVectorNormBackward0


class XlogyBackward0(Binary):
    """x * log(y), and 0 where x is 0, saves both."""

    floating = True
    saves = {"other": "self other", "self": "self other"}

    @staticmethod
    def forward(x, y):
        return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y)).astype(np.result_type(x, y))

    def backward(node, grad, y, x):
        for_x, for_y = node.needs_input_grad
        nothing = (x == 0) & (y <= 0)
        return (
            np.where(nothing, 0, grad * np.log(y)) if for_x else None,
            grad * x / y if for_y else None,
        )


class AddBackward1(Op):
    """x + a number, where PyTorch's own code adds it."""

    argument_names = ("",)

    @staticmethod
    def forward(x, number):
        x, number = beside_number(AddBackward0, x, number)
        return x + number

    def backward(node, grad):
        return grad


class MulBackward1(Op):
    """x times a number, where PyTorch's own code multiplies it."""

    argument_names = ("other",)

    @staticmethod
    def forward(x, number):
        x, number = beside_number(MulBackward0, x, number)
        return x * number

    def backward(node, grad):
        return grad * node.arguments[0]


class NormBackward1(LinalgVectorNormBackward0):
    """The older name of the same."""

    argument_names = ("p", "dim", "keepdim", "")
