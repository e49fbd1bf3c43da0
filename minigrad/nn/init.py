"""Numbers for parameters to begin with, written in place and outside of every graph."""

from __future__ import annotations

import math
import warnings

from minigrad.core.inplace import overwrite
from minigrad.core.modes import no_grad

LINEAR = [
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
]  # fmt: skip
MODES = ["fan_in", "fan_out"]
NO_FAN = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"


def calculate_gain(nonlinearity: str, param=None) -> float:
    """By how much an activation makes numbers smaller: what a deviation is multiplied by."""
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + _slope(param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _slope(param):
    if param is None:
        return 0.01
    if isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return param


@no_grad()
def uniform_(tensor, a: float = 0.0, b: float = 1.0):
    """Numbers from a up to b."""
    return tensor.uniform_(a, b)


@no_grad()
def normal_(tensor, mean: float = 0.0, std: float = 1.0):
    """Normal numbers of this mean and deviation."""
    return tensor.normal_(mean, std)


@no_grad()
def constant_(tensor, val: float):
    """One number everywhere."""
    return tensor.fill_(val)


def ones_(tensor):
    """1 everywhere."""
    return constant_(tensor, 1.0)


@no_grad()
def zeros_(tensor):
    """0 everywhere."""
    return tensor.zero_()


@no_grad()
def eye_(tensor):
    """The unit matrix: a linear layer then hands on what it is given."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    overwrite(tensor, _unit)
    return tensor


def _unit(array):
    array[...] = 0
    places = range(min(array.shape))
    array[[*places], [*places]] = 1
    return array


def _fans(tensor) -> tuple:
    """How many numbers go into one output, and how many outputs one number goes into."""
    if tensor.dim() < 2:
        raise ValueError(NO_FAN)
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _xavier_std(tensor, gain) -> float:
    """A deviation with which numbers and gradients stay about as large from layer to layer."""
    return gain * math.sqrt(2.0 / float(sum(_fans(tensor))))


def xavier_uniform_(tensor, gain: float = 1.0):
    """Uniform numbers of variance 2 / (fan in + fan out), times gain squared."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain: float = 1.0):
    """Normal numbers of variance 2 / (fan in + fan out), times gain squared."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain))


def kaiming_uniform_(tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu"):
    """Uniform numbers of variance gain squared / fan."""
    if 0 in tensor.shape:
        return _left_alone(tensor)
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu"):
    """Normal numbers of variance gain squared / fan."""
    if 0 in tensor.shape:
        return _left_alone(tensor)
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity))


def _kaiming_std(tensor, slope, mode, nonlinearity) -> float:
    """A deviation with which numbers, or gradients, stay as large after this activation."""
    mode = mode.lower()
    if mode not in MODES:
        raise ValueError(f"Mode {mode} not supported, please use one of {MODES}")
    fan = _fans(tensor)[MODES.index(mode)]
    return calculate_gain(nonlinearity, slope) / math.sqrt(fan)


def _left_alone(tensor):
    warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
    return tensor
