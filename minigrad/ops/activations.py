"""Activations that are one operation each, beside relu, tanh and sigmoid.

Most save their input, which a layer before them may have saved as well; those that work in place
save their result.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.op import Op
from minigrad.ops import messages
from minigrad.ops.arithmetic import like, only_floats
from minigrad.ops.elementwise import kept
from minigrad.ops.halves import in_whole_floats, unrounded, wide
from minigrad.ops.normal import cumulative, density
from minigrad.ops.numbers import converted, of_kernel
from minigrad.ops.shapes import Shown


def logistic(x):
    """1 / (1 + e**-x), and 0 where e**-x is inf; its slope is never inf / inf, and has no kink."""
    far = -np.log(np.finfo(x.dtype).max)
    small = np.exp(np.where(x > 0, -x, np.where(x < far, -np.inf, x)))
    return np.where(x > 0, 1, small) / (1 + small)


def shrunk(x):
    """e**-|x|, which does not overflow."""
    return np.exp(-abs(x))


class _LeakyRelu(Op):
    """Where it is not positive, a share of it, and of the gradient, passes."""

    argument_names = ("negative_slope",)

    @staticmethod
    def forward(x, slope):
        only_floats(x, "leaky_relu_cpu")
        of_kernel(slope, x.dtype)
        return np.where(x > 0, x, x * unrounded(slope, x))

    def backward(node, grad, kept):
        return np.where(kept > 0, grad, grad * unrounded(node.arguments[0], grad))


class PreluKernelBackward0(Op):
    """prelu saves its input and its weight: the share that passes is learned."""

    inputs = ("self", "weight")
    stretched = ("weight",)
    saves = {"self": "self weight", "weight": "self weight"}

    @staticmethod
    def forward(x, weight):
        return np.where(x > 0, x, x * weight)

    def backward(node, grad, x, weight):
        return np.where(x > 0, grad, grad * weight), np.where(x > 0, 0, grad * x)


class LeakyReluBackward0(_LeakyRelu):
    """leaky_relu saves its input."""

    saves = {"self": "self"}


class LeakyReluBackward1(_LeakyRelu):
    """leaky_relu in place saves its result, which has the sign of its input, or is refused."""

    saves = {"result": "self"}

    def backward(node, grad, result):
        if node.arguments[0] < 0:
            raise RuntimeError(messages.NEGATIVE_LEAKY_SLOPE)
        return _LeakyRelu.backward(node, grad, result)


class _Elu(Op):
    """Below 0 the slope is that of e**x."""

    argument_names = ("alpha", "scale", "input_scale")

    @staticmethod
    def forward(x, alpha, scale, input_scale):
        only_floats(x, "elu_cpu")
        of_kernel(alpha, x.dtype)
        wider = wide(x)
        below = np.expm1(wider * input_scale) * (alpha * scale)
        return like(np.where(wider < 0, below, wider * scale), x)


class EluBackward0(_Elu):
    """elu saves its input."""

    saves = {"self": "self"}

    def backward(node, grad, x):
        alpha, scale, rate = node.arguments
        bent = np.where(x < 0, wide(x), 0)  # of a large x, e**x would be inf, and its slope nan
        below = wide(grad) * (rate * alpha * scale) * np.exp(bent * rate)
        return np.where(x <= 0, like(below, grad), grad * scale)


class EluBackward1(_Elu):
    """elu in place saves its result, from which the slope is computed as well."""

    saves = {"result": "self"}

    def backward(node, grad, result):
        alpha, scale, rate = node.arguments
        if alpha < 0:  # the sign of the result would not be that of the input
            raise RuntimeError(messages.NEGATIVE_SLOPE.format("elu"))
        below = grad * rate * (result + alpha * scale)
        return np.where(result <= 0, below, grad * scale)


class GeluBackward0(Op):
    """gelu saves its input: x times the share of a normal distribution that lies below x."""

    saves = {"self": "self"}
    argument_names = ("approximate",)

    @staticmethod
    @in_whole_floats
    def forward(x, approximate):
        only_floats(x, "GeluKernelImpl")
        if approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(bent(x)))
        return x * cumulative(x)

    @in_whole_floats
    def backward(node, grad, x):
        if node.arguments[0] == "tanh":
            t = np.tanh(bent(x))
            return grad * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * (BEND + 3 * BEND * CUBE * x * x))
        return grad * (cumulative(x) + x * density(x))


BEND, CUBE = (2 / np.pi) ** 0.5, 0.044715


def bent(x):
    """What gelu's approximation takes the tanh of."""
    return BEND * (x + CUBE * x * x * x)


class SiluBackward0(Op):
    """silu, x * sigmoid(x), saves its input: the sigmoid is computed again."""

    saves = {"self": "self"}

    @staticmethod
    @in_whole_floats
    def forward(x):
        only_floats(x, "silu_cpu")
        return x / (1 + np.exp(-x))

    @in_whole_floats
    def backward(node, grad, x):
        s = logistic(x)
        return grad * (s * (1 + x * (1 - s)))


class MishBackward0(Op):
    """mish, x * tanh(softplus(x)), saves its input."""

    saves = {"self": "self"}

    @staticmethod
    @in_whole_floats
    def forward(x):
        only_floats(x, "mish_cpu")
        return x * np.tanh(np.logaddexp(x, 0))

    @in_whole_floats
    def backward(node, grad, x):
        t = np.tanh(np.logaddexp(x, 0))
        return grad * (t + x * logistic(x) * (1 - t * t))


class SoftplusBackward0(Op):
    """softplus saves its input; above the threshold it is the identity."""

    saves = {"self": "self"}
    argument_names = ("beta", "threshold")

    @staticmethod
    @in_whole_floats
    def forward(x, beta, threshold):
        only_floats(x, "softplus_cpu")
        of_kernel(beta, x.dtype), of_kernel(threshold, x.dtype)
        return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)

    @in_whole_floats
    def backward(node, grad, x):
        beta, threshold = node.arguments
        z = x * beta
        above = z > threshold
        z = np.exp(np.where(z >= threshold, threshold, z))  # no slope of the slope, there either
        return np.where(above, grad, grad * z / (z + 1))


def check_limits(low, high, dtype) -> None:
    """Whole numbers are compared with whole ones; bytes with none below 0."""
    if dtype.kind != "f":
        low, high = (converted(number, np.dtype(np.int64)) for number in (low, high))
    if dtype.kind == "u" and (low < 0 or high < 0):
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


class HardtanhBackward0(Op):
    """hardtanh saves its input: the gradient passes inside the bounds, bounds excluded."""

    saves = {"self": "self"}
    argument_names = ("min_val", "max_val")

    @staticmethod
    def forward(x, low, high):
        if x.dtype == bool:
            raise RuntimeError("Bool inputs not supported for hardtanh")
        check_limits(low, high, x.dtype)
        return np.clip(x, converted(low, x.dtype), converted(high, x.dtype))

    def backward(node, grad, x):
        low, high = node.arguments
        return kept(grad, ~((x <= low) | (x >= high)))


class LogSigmoidBackward0(Op):
    """log_sigmoid saves its input, and the e**-|x| that its forward has computed."""

    extras = ("buffer",)
    saves = {"buffer": "self", "self": "self"}

    @staticmethod
    @in_whole_floats
    def forward(x, buffer):
        return in_order(np.minimum(x, 0) - np.log1p(buffer))

    @in_whole_floats
    def backward(node, grad, buffer, x):
        share = buffer / (1 + buffer)
        return grad * np.where(x < 0, 1 - share, share)


SIXTH = float(np.float32(1 / 6))  # of doubles, too, as PyTorch's kernel has it


class HardsigmoidBackward0(Op):
    """hardsigmoid, a straight line from 0 at -3 to 1 at 3, saves its input."""

    saves = {"self": "self"}

    @staticmethod
    @in_whole_floats
    def forward(x):
        only_floats(x, "hardsigmoid_cpu")
        return np.clip(x + 3, 0, 6) / 6

    @in_whole_floats
    def backward(node, grad, x):
        return np.where((x > -3) & (x < 3), grad, 0) * SIXTH


class HardswishBackward0(Op):
    """hardswish, x * hardsigmoid(x), saves its input."""

    saves = {"self": "self"}

    @staticmethod
    @in_whole_floats
    def forward(x):
        only_floats(x, "hardswish_cpu")
        return x * np.clip(x + 3, 0, 6) / 6

    @in_whole_floats
    def backward(node, grad, x):
        return np.where(x <= -3, 0, np.where(x < 3, grad * (x / 3 + 0.5), grad))


class GluBackward0(Shown):
    """glu, the first half along an axis times the sigmoid of the other, saves its input."""

    saves = {"self": "self"}
    argument_names = ("dim",)

    @staticmethod
    @in_whole_floats
    def forward(x, dim):
        only_floats(x, "glu_cpu")
        first, second = halves(x, dim)
        return first * logistic(second)

    def backward(node, grad, x):
        first, second = halves(x, node.arguments[0])
        gate = like(logistic(wide(second)), x)  # half floats are rounded here, and at the end
        parts = gate * grad, closing(gate, first, grad)
        return in_order(np.concatenate(parts, axis=node.arguments[0]))


@in_whole_floats
def closing(gate, first, grad):
    """The slope of a gate in what opens it, times what it lets through and the gradient."""
    return (1 - gate) * gate * first * grad


def halves(x, dim) -> tuple:
    """Both halves of an array along an axis."""
    before, middle = (slice(None),) * dim, x.shape[dim] // 2
    return x[(*before, slice(middle))], x[(*before, slice(middle, None))]
