"""Numbers for parameters to begin with, written in place and outside of every graph."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import float16
from minigrad.core.frames import warn
from minigrad.core.inplace import overwrite
from minigrad.core.modes import no_grad
from minigrad.ops import generator as source
from minigrad.ops import messages
from minigrad.ops.creation import empty_like
from minigrad.ops.functions import where

LINEAR = [
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid",
]  # fmt: skip
MODES = ["fan_in", "fan_out"]
FEW_INSIDE = (
    "minigrad draws truncated normal numbers by drawing again those outside, and less than three "
    "in ten would be inside of these bounds: use uniform_()"
)
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
def uniform_(tensor, a: float = 0.0, b: float = 1.0, generator=None):
    """Numbers from a up to b."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor, mean: float = 0.0, std: float = 1.0, generator=None):
    """Normal numbers of this mean and deviation."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator=None
):
    """Normal numbers of which those outside of a to b are drawn again."""
    if a > b:
        raise RuntimeError(messages.UNIFORM_BOUNDS.format(a, b))
    if not _share_below((b - mean) / std) - _share_below((a - mean) / std) > 0.3:
        raise NotImplementedError(FEW_INSIDE)
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < a) | (tensor > b)).any():
        again = empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(where(outside, again, tensor))
    return tensor


def _share_below(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


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


@no_grad()
def orthogonal_(tensor, gain: float = 1, generator=None):
    """Orthonormal columns, or rows if these are fewer, times gain; all axes after the first count
    as one.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel():
        rows = tensor.shape[0]
        numbers = tensor.new_empty((rows, tensor.numel() // rows)).normal_(generator=generator)
        if tensor.dtype is float16:
            raise messages.not_implemented("geqrf_cpu", tensor)
        overwrite(tensor, lambda array: _orthogonal(numbers._array, array))
        tensor.mul_(gain)
    return tensor


def _orthogonal(numbers, array):
    wide = numbers.shape[0] < numbers.shape[1]
    q, r = np.linalg.qr(numbers.T if wide else numbers)
    q = q * np.sign(np.diagonal(r))  # no such matrix is likelier than another
    array[...] = (q.T if wide else q).reshape(array.shape)
    return array


def _unit(array):
    array[...] = 0
    places = range(min(array.shape))
    array[[*places], [*places]] = 1
    return array


def _calculate_fan_in_and_fan_out(tensor) -> tuple:
    """How many numbers go into one output, and how many outputs one number goes into."""
    if tensor.dim() < 2:
        raise ValueError(NO_FAN)
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _xavier_std(tensor, gain) -> float:
    """A deviation with which numbers and gradients stay about as large from layer to layer."""
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor, gain: float = 1.0, generator=None):
    """Uniform numbers of variance 2 / (fan in + fan out), times gain squared."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain: float = 1.0, generator=None):
    """Normal numbers of variance 2 / (fan in + fan out), times gain squared."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def kaiming_uniform_(
    tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu", generator=None
):  # fmt: skip
    """Uniform numbers of variance gain squared / fan."""
    if 0 in tensor.shape:
        return _left_alone(tensor)
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor, a: float = 0, mode="fan_in", nonlinearity="leaky_relu", generator=None
):  # fmt: skip
    """Normal numbers of variance gain squared / fan."""
    if 0 in tensor.shape:
        return _left_alone(tensor)
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor, slope, mode, nonlinearity) -> float:
    """A deviation with which numbers, or gradients, stay as large after this activation."""
    mode = mode.lower()
    if mode not in MODES:
        raise ValueError(f"Mode {mode} not supported, please use one of {MODES}")
    fan = _calculate_fan_in_and_fan_out(tensor)[MODES.index(mode)]
    return calculate_gain(nonlinearity, slope) / math.sqrt(fan)


def _left_alone(tensor):
    warn("Initializing zero-element tensors is a no-op")
    return tensor


# -- what layers begin with --


def _first(name, array):
    """Random numbers for an array: doubles for doubles, else of float32."""
    kind = np.dtype(np.float64 if array.dtype == np.float64 else np.float32)
    return source.drawn(name, array.shape, kind, backend.device_of(array))


def _write(tensor, numbers) -> None:
    """Write them before anybody knows of the tensor."""
    tensor._array[...] = numbers
    tensor._storage.version += 1


def begin(tensor, bound: float) -> None:
    """Numbers from -bound to bound."""
    _write(tensor, (_first("random", tensor._array) * 2 - 1) * bound)


def begin_table(tensor) -> None:
    """Normal numbers, of an embedding."""
    _write(tensor, _first("standard_normal", tensor._array))


def begin_filters(weight, bias) -> None:
    """A linear layer or a convolution: the more inputs an output has, the smaller its numbers."""
    inputs = _calculate_fan_in_and_fan_out(weight)[0]
    bound = inputs**-0.5 if inputs else 0.0
    if 0 in weight.shape:
        _left_alone(weight)
    else:
        begin(weight, bound)
    if bias is not None:
        begin(bias, bound)


def begin_affine(weight, bias) -> None:
    """A norm: it changes nothing yet."""
    for parameter, number in ((weight, 1), (bias, 0)):
        if parameter is not None:
            _write(parameter, number)
