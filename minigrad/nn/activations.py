"""Activations, each as a function and as a module without parameters."""

from __future__ import annotations

from minigrad.core.frames import warn
from minigrad.core.promotion import plain
from minigrad.core.words import expected
from minigrad.nn.init import constant_
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops import activations as ops
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.inplace import write_over
from minigrad.ops.numbers import a_number

IMPLICIT_DIM = (
    "Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an "
    "argument."
)
CHANNELS = (
    "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and "
    "channel size = {}."
)
WEIGHT_DIMENSIONS = "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}"
SELF_NORMAL = 1.6732632423543772, 1.0507009873554805, 1  # alpha, scale, input_scale


def over(op, x, *arguments):
    """The rule's result, written over `x`; the node is told its arguments."""
    return write_over(op, x, arguments=arguments)


# -- functions --


def relu(x, inplace: bool = False):
    """x where it is positive, else 0."""
    return x.relu_() if inplace else x.relu()


def relu6(x, inplace: bool = False):
    """x between 0 and 6."""
    return hardtanh(x, 0, 6, inplace)


def hardtanh(x, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
    """x between the two bounds."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    min_val, max_val = a_number(min_val, "min_val", 2), a_number(max_val, "max_val", 3)
    rule = ops.HardtanhBackward0
    return over(rule, x, min_val, max_val) if inplace else rule.call(x, min_val, max_val)


def leaky_relu(x, negative_slope: float = 0.01, inplace: bool = False):
    """x where it is positive, else a small share of it."""
    negative_slope = a_number(negative_slope, "negative_slope", 2)
    if inplace:
        return over(ops.LeakyReluBackward1, x, negative_slope)
    return ops.LeakyReluBackward0.call(x, negative_slope)


def prelu(x, weight):
    """leaky_relu whose share is learned: one weight, or one for each channel."""
    shape, sizes = x._array.shape, weight._array.shape
    if x.dtype is not weight.dtype:
        kinds = f"{x.dtype.scalar_type} and {weight.dtype.scalar_type}"
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds}")
    if weight.numel() != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(CHANNELS.format(weight.numel(), channels))
    if len(sizes) > 1:
        raise RuntimeError(WEIGHT_DIMENSIONS.format(len(sizes)))
    if len(sizes) != len(shape):
        weight = weight.reshape([1, -1, *[1] * len(shape[2:])] if shape[1:] else [-1] * len(shape))
    only_floats(x._array, "prelu_cpu")
    return ops.PreluKernelBackward0.call(x, weight)


def elu(x, alpha: float = 1.0, inplace: bool = False):
    """x where it is positive, else alpha * (e**x - 1)."""
    alpha = a_number(alpha, "alpha", 2)
    if inplace:
        return over(ops.EluBackward1, x, alpha, 1, 1)
    return ops.EluBackward0.call(x, alpha, 1, 1)


def selu(x, inplace: bool = False):
    """elu with the two constants that keep mean and variance."""
    if inplace:
        return over(ops.EluBackward1, x, *SELF_NORMAL)
    return ops.EluBackward0.call(x, *SELF_NORMAL)


def gelu(x, *, approximate: str = "none"):
    """x times the share of a normal distribution below x; "tanh" approximates it."""
    expected(approximate, str, "approximate", "str")
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return ops.GeluBackward0.call(x, approximate)


def silu(x, inplace: bool = False):
    """x * sigmoid(x)."""
    return over(ops.SiluBackward0, x) if inplace else ops.SiluBackward0.call(x)


def mish(x, inplace: bool = False):
    """x * tanh(softplus(x))."""
    return over(ops.MishBackward0, x) if inplace else ops.MishBackward0.call(x)


def softplus(x, beta: float = 1, threshold: float = 20):
    """log(1 + e**(beta * x)) / beta: a relu without its kink."""
    return ops.SoftplusBackward0.call(x, a_number(beta), a_number(threshold))


def logsigmoid(x):
    """The logarithm of sigmoid(x), without an overflow."""
    only_floats(x._array, "log_sigmoid_cpu")
    return ops.LogSigmoidBackward0.call(x, x._new(ops.shrunk(x._array)))


def sigmoid(x):
    """1 / (1 + e**-x)."""
    return x.sigmoid()


def tanh(x):
    """The hyperbolic tangent."""
    return x.tanh()


def softsign(x):
    """x / (1 + |x|)."""
    return x / (x.abs() + 1)


def tanhshrink(x):
    """x - tanh(x)."""
    return x - x.tanh()


def softmax(x, dim=None, _stacklevel: int = 3, dtype=None):
    """e**x, divided by its sum along `dim`."""
    return x.softmax(_axis("softmax", x, dim), dtype)


def softmin(x, dim=None, _stacklevel: int = 3, dtype=None):
    """softmax of -x."""
    return (-x).softmax(_axis("softmin", x, dim), dtype)


def log_softmax(x, dim=None, _stacklevel: int = 3, dtype=None):
    """The logarithm of softmax."""
    return x.log_softmax(_axis("log_softmax", x, dim), dtype)


def _axis(name, x, dim):
    """The axis; where none was given, a guess, which is warned of."""
    if dim is None:
        warn(IMPLICIT_DIM.format(name))
        dim = 0 if x.ndim in (0, 1, 3) else 1
    return dim


# -- modules --


class _Activation(Module):
    """Calls `function`, with what it was made with by name: `takes`, which its repr shows."""

    function: staticmethod
    takes: tuple = ()

    def forward(self, x):
        return self.function(x, **{name: getattr(self, name) for name in self.takes})

    def extra_repr(self):
        given = {name: getattr(self, name) for name in self.takes}
        told = (pair for pair in given.items() if pair != ("inplace", False))
        return ", ".join(f"{name}={plain(value)!r}" for name, value in told)


class _InPlace(_Activation):
    """It may write its result over its input."""

    takes: tuple = ("inplace",)

    def __init__(self, inplace: bool = False):
        self.inplace = inplace


class _Along(_Activation):
    """Along an axis."""

    takes = ("dim",)

    def __init__(self, dim=None):
        self.dim = dim


class Sigmoid(_Activation):
    function = staticmethod(sigmoid)


class Tanh(_Activation):
    function = staticmethod(tanh)


class LogSigmoid(_Activation):
    function = staticmethod(logsigmoid)


class Softsign(_Activation):
    function = staticmethod(softsign)


class Tanhshrink(_Activation):
    function = staticmethod(tanhshrink)


class ReLU(_InPlace):
    function = staticmethod(relu)


class ReLU6(_InPlace):
    def forward(self, x):
        return hardtanh(x, 0.0, 6.0, self.inplace)


class SELU(_InPlace):
    function = staticmethod(selu)


class SiLU(_InPlace):
    function = staticmethod(silu)


class Mish(_InPlace):
    function = staticmethod(mish)


class Softmax(_Along):
    function = staticmethod(softmax)


class Softmin(_Along):
    function = staticmethod(softmin)


class LogSoftmax(_Along):
    function = staticmethod(log_softmax)


class LeakyReLU(_Activation):
    function, takes = staticmethod(leaky_relu), ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        self.negative_slope, self.inplace = negative_slope, inplace


class PReLU(Module):
    """leaky_relu with a learned slope."""

    _in_repr = ("num_parameters",)
    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None):
        self.num_parameters, self.init = num_parameters, init
        vacant(self, {"weight": (num_parameters,)}, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        constant_(self.weight, self.init)

    def forward(self, x):
        return prelu(x, self.weight)


class ELU(_Activation):
    function, takes = staticmethod(elu), ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        self.alpha, self.inplace = alpha, inplace


class Hardtanh(_Activation):
    function, takes = staticmethod(hardtanh), ("min_val", "max_val", "inplace")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace


class GELU(_Activation):
    function, takes = staticmethod(gelu), ("approximate",)

    def __init__(self, approximate: str = "none"):
        self.approximate = approximate


class Softplus(_Activation):
    function, takes = staticmethod(softplus), ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        self.beta, self.threshold = beta, threshold


class Identity(Module):
    """Hands on what it is given; what it is made with does not matter."""

    def __init__(self, *args, **kwargs):
        pass

    def forward(self, x):
        return x
