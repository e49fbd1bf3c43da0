"""Pooling of sequences, as images of one row: functions and modules, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from minigrad.core.modes import state
from minigrad.core.op import gradients_wanted
from minigrad.core.words import expected
from minigrad.nn.module import Module
from minigrad.nn.pooling import _MaxPool, adaptive_avg_pool2d, avg_pool2d, max_pool2d
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.pooling import MaxPool2DWithIndicesBackward0, Windows, largest, places
from minigrad.ops.shapes import all_whole, whole

ONE = {
    "kernel_size": "must be an int, list of ints or tuple of ints of size 1",
    "stride": "must be None, an int, list of ints, or tuple of ints of size 1",
    "padding": "must be an int, list of ints, or tuple of ints of size 1",
    "dilation": "must be an int, list of ints or tuple of ints of size 1",
}
SEQUENCES = (
    "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
    "but got:{}"
)


def max_pool1d(
    x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest number of each window, and with return_indices also where it stands."""
    stride = kernel_size if stride is None else stride
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    sizes = {name: ints(one, name) for name, one in given.items()}
    expected(ceil_mode, bool, "ceil_mode", "bool")
    if return_indices:
        numbers = [_one("max_pool1d", *item) for item in sizes.items()]
        both = max_pool2d(_row(x, "max_pool1d"), **_of_row(numbers, ceil_mode), return_indices=True)
        return tuple(one.squeeze(-2) for one in both)
    numbers = _fitting(x, sizes, ceil_mode)
    if gradients_wanted(MaxPool2DWithIndicesBackward0, (x,)) and state.grad_enabled:
        return max_pool2d(x.unsqueeze(-2), **_of_row(numbers, ceil_mode)).squeeze(-2)
    only_floats(x._array, "max_pool1d_impl")
    rows = *x.shape[:-1], 1, x.shape[-1]
    found = Windows(rows, *_of_row(numbers, ceil_mode).values())
    where = largest(x._array[..., None, :], found)[..., 0, :]
    out = x._new(np.take_along_axis(x._array, where, -1))
    out._storage.version = int(x.ndim == 2)  # PyTorch takes an axis of its own away in place
    return out


def _of_row(numbers, ceil_mode) -> dict:
    """The same for images of one row, in pairs."""
    pairs = zip(ONE, zip((1, 1, 0, 1), numbers, strict=True), strict=True)
    return {**dict(pairs), "ceil_mode": ceil_mode}


def _fitting(x, sizes: dict, ceil_mode) -> list:
    """Size, stride, padding and dilation of windows that fit a sequence."""
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise RuntimeError(SEQUENCES.format(list(x.shape)))
    for name, numbers in sizes.items():
        if len(numbers) != 1:
            raise RuntimeError(f"max_pool1d() {name} {ONE[name]} but got size {len(numbers)}")
    size, stride, pad, step = (sizes[name][0] for name in ONE)
    for name, number in (("kernel_size", size), ("stride", stride)):
        if number <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {number}")
    if pad < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
    if pad > size // 2:
        text = f"but got padding={pad} and kernel_size={size}"
        raise RuntimeError(f"max_pool1d() padding should be at most half of kernel size, {text}")
    if step <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {step}")
    found = places(x.shape[-1], size, stride, pad, step, ceil_mode)
    if found <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {found}")
    return [size, stride, pad, step]


def ints(numbers, name: str) -> tuple:
    """One number, or several in a list."""
    if isinstance(numbers, (tuple, list)):
        return all_whole(numbers, name)
    return (whole(numbers, name, "tuple of ints"),)


def _one(function: str, name: str, numbers) -> int:
    """The number, which may stand in a list."""
    numbers = ints(numbers, name)
    if len(numbers) != 1:
        text = f"should contain one int (got {len(numbers)})"
        raise RuntimeError(f"{function}() argument '{name}' {text}")
    return numbers[0]


def _row(x, function: str):
    """A sequence, or several, as images of one row."""
    if x.ndim not in (2, 3):
        text = f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1"
        raise RuntimeError(f"{text} 'self' (while checking arguments for {function})")
    return x.unsqueeze(-2)


def avg_pool1d(x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window; the padding counts as zeros, or with False not at all."""
    stride = kernel_size if stride is None else stride
    for name, flag in (("ceil_mode", ceil_mode), ("count_include_pad", count_include_pad)):
        expected(flag, bool, name, "bool")
    row = _row(x, "avg_pool1d")
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    size, step, pad = (_one("avg_pool1d", *item) for item in given.items())
    return avg_pool2d(row, (1, size), (1, step), (0, pad), ceil_mode, count_include_pad).squeeze(-2)


def adaptive_avg_pool1d(x, output_size):
    """The means of as many parts of the sequence as output_size says."""
    sizes = ints(output_size, "output_size")
    row = _row(x, "adaptive_avg_pool1d")
    size = _one("adaptive_avg_pool1d", "output_size", sizes)
    return adaptive_avg_pool2d(row, (1, size)).squeeze(-2)


class MaxPool1d(_MaxPool):
    """The largest number of each window."""

    _pool = staticmethod(max_pool1d)


class AvgPool1d(Module):
    """The mean of each window."""

    _in_repr = "kernel_size", "stride", "padding"

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True
    ):
        given = kernel_size, kernel_size if stride is None else stride, padding
        each = [tuple(one) if isinstance(one, Iterable) else (one,) for one in given]
        self.kernel_size, self.stride, self.padding = each
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, x):
        shape = self.kernel_size, self.stride, self.padding
        return avg_pool1d(x, *shape, self.ceil_mode, self.count_include_pad)


class AdaptiveAvgPool1d(Module):
    """The means of as many parts of each sequence as output_size says."""

    _in_repr = ("output_size",)

    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, x):
        return adaptive_avg_pool1d(x, self.output_size)
