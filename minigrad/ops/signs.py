"""Questions about each number: its sign, whether it is one, and the logic of what is not zero."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.elementwise import sign


class SignBackward0(Op):
    """sign saves nothing: its slope is 0 wherever it has one."""

    @staticmethod
    def forward(x):
        return x.copy() if x.dtype == bool else sign(x).astype(x.dtype, copy=False)

    def backward(node, grad):
        return np.zeros_like(grad)


def truth(x):
    """Which of the elements are not zero."""
    return x.detach() != 0


@attach
class Signs(Tensor):
    """Methods of Tensor."""

    sign = SignBackward0.call

    # fmt: off
    def isnan(x):          return x.detach() != x.detach()
    def isinf(x):          return x.detach().abs() == float("inf")
    def logical_not(x):    return x.detach() == 0
    def logical_and(x, y): return truth(x) & truth(y)
    def logical_or(x, y):  return truth(x) | truth(y)
    def logical_xor(x, y): return truth(x) != truth(y)
    # fmt: on
