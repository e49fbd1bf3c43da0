"""Numbers for parameters to begin with, written in place and outside of every graph."""

from __future__ import annotations

import math
import warnings

from minigrad.core.modes import no_grad

GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4} | dict.fromkeys(
    ("sigmoid", "linear", "conv1d", "conv2d"), 1
)
NO_FAN = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"


def calculate_gain(nonlinearity: str, param=None) -> float:
    """By how much an activation makes numbers smaller: what a deviation is multiplied by."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


@no_grad()
def uniform_(tensor, a: float = 0.0, b: float = 1.0, generator=None):
    return tensor.uniform_(a, b, **_drawn(generator))


@no_grad()
def normal_(tensor, mean: float = 0.0, std: float = 1.0, generator=None):
    return tensor.normal_(mean, std, **_drawn(generator))


def _drawn(generator) -> dict:
    return {} if generator is None else {"generator": generator}


@no_grad()
def constant_(tensor, val: float):
    return tensor.fill_(val)


def ones_(tensor):
    return constant_(tensor, 1.0)


@no_grad()
def zeros_(tensor):
    return tensor.zero_()


def fans(tensor) -> tuple:
    """How many numbers go into one output, and how many outputs one number goes into."""
    if tensor.ndim < 2:
        raise ValueError(NO_FAN)
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor, gain: float = 1.0, generator=None):
    """Variance 2 / (fan in + fan out), times gain squared."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain: float = 1.0, generator=None):
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)


def kaiming_uniform_(
    tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu", generator=None
):
    """Variance gain squared / fan: numbers stay as large from layer to layer."""
    if 0 in tensor.shape:
        return _nothing(tensor)
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        return _nothing(tensor)
    return normal_(tensor, 0, _deviation(tensor, a, mode, nonlinearity), generator)


def _nothing(tensor):
    warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
    return tensor


def _deviation(tensor, a, mode, nonlinearity) -> float:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    fan = fans(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)
