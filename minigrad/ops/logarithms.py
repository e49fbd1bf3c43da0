"""log and its kin: the slope is 1 over the input, so they save that."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.arithmetic import floats, of_floats


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
        return grad / (x * math.log(node.base))


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


@attach
class Logarithms(Tensor):
    """Methods of Tensor."""

    log, log1p = LogBackward0.call, Log1PBackward0.call
    log2, log10 = Log2Backward0.call, Log10Backward0.call
