"""Pooling of images: functions and modules, and what they refuse."""

from __future__ import annotations

from typing import Any

from minigrad.core.dtypes import int64
from minigrad.core.words import wrong_kind
from minigrad.nn.module import Module
from minigrad.ops import messages
from minigrad.ops import pooling as ops
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.shapes import all_whole, axis, several

NOT_TWO = {
    "kernel_size": "must either be a single int, or a tuple of two ints",
    "stride": "must either be omitted, a single int, or a tuple of two ints",
    "padding": "must either be a single int, or a tuple of two ints",
    "dilation": "must be either a single int, or a tuple of two ints",
}
AN_IMAGE = (
    "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{}"
)
TOO_LARGE = "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} "


def pair(function: str, name: str, numbers) -> tuple:
    """Height and width, from one number for both or from two; () for a stride left out."""
    if numbers is None:
        return ()
    numbers = all_whole(several(numbers), name)
    if len(numbers) not in (1, 2):
        raise RuntimeError(f"{function}: {name} {NOT_TWO[name]}")
    return numbers * 2 if len(numbers) == 1 else numbers


def steps(size, stride, padding, dilation=(1, 1)) -> None:
    """Those that windows can lie by."""
    down, across = stride or size
    if down == 0 or across == 0:
        raise RuntimeError("stride should not be zero")
    if min(dilation) <= 0:
        h, w = dilation
        fault = f"dilation should be greater than zero, but got dilationH: {h} dilationW: {w}"
        raise RuntimeError(fault)
    if min(padding) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for pad, k, d in zip(padding, size, dilation, strict=True):
        if pad > ((k - 1) * d + 1) // 2:
            raise RuntimeError(TOO_LARGE.format(pad, k) + f"and dilation={d}")


def windows(x, size, stride, padding, dilation=(1, 1), ceil_mode=False):
    """Where they lie, if all fits together."""
    steps(size, stride, padding, dilation)
    found = ops.Windows(x.shape, size, stride, padding, dilation, ceil_mode)
    if min(found.places) < 1:
        c, h, w = x.shape[-3:]
        places = "x".join(map(str, (c, *found.places)))
        raise RuntimeError(
            f"Given input size: ({c}x{h}x{w}). Calculated output size: ({places}). "
            "Output size is too small"
        )
    return found


def only_images(x, other="non-empty 3D or 4D (batch mode) tensor expected for input") -> None:
    """One or several, each with elements; `other` is said of other numbers of axes."""
    if x.ndim not in (3, 4):
        raise RuntimeError(other)
    if 0 in x.shape[1 if x.ndim == 4 else 0 :]:
        raise RuntimeError(AN_IMAGE.format(list(x.shape)))


# -- functions --


def max_pool2d(
    x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """The largest number of each window, and with return_indices also where it stands."""
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    size, stride, padding, dilation = (pair("max_pool2d", *item) for item in given.items())
    only_images(x)
    found = windows(x, size, stride, padding, dilation, ceil_mode)
    if x._array.dtype == bool:
        raise messages.not_implemented("max_pool2d", x)
    indices = x._new(ops.largest(x._array, found))
    arguments = size, stride, padding, dilation, ceil_mode
    out = ops.MaxPool2DWithIndicesBackward0.call(x, indices, *arguments)
    return (out, indices) if return_indices else out


def avg_pool2d(
    x, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None,
):  # fmt: skip
    """The mean of each window; the padding counts as zeros, or with False not at all."""
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    size, stride, padding = (pair("avg_pool2d", *item) for item in given.items())
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    if 0 < x.ndim < 3:
        axis(x, -3)
    elif not x.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(-3))
    steps(size, stride, padding)
    only_images(x, AN_IMAGE.format(list(x.shape)))
    windows(x, size, stride, padding, ceil_mode=ceil_mode)
    if not (x.is_floating_point() or x.dtype is int64):
        raise messages.not_implemented("avg_pool2d", x)
    more = ceil_mode, count_include_pad, divisor_override
    return ops.AvgPool2DBackward0.call(x, size, stride, padding, *more)


def adaptive_avg_pool2d(x, output_size):
    """The means of as many parts of the image as output_size says; None: as many as there are."""
    if isinstance(output_size, bool):
        raise wrong_kind("output_size", "tuple of ints", output_size)
    sizes = (output_size,) * 2 if isinstance(output_size, int) else output_size
    if sizes is output_size and x.ndim <= len(sizes):
        raise ValueError(f"Input dimension should be at least {len(sizes) + 1}")
    if len(sizes) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    if None in sizes:
        sizes = [n if m is None else m for m, n in zip(sizes, x.shape[-2:], strict=True)]
    sizes = tuple(sizes)
    if min(sizes) < 0:
        text = "elements of output_size must be greater than or equal to 0 but received"
        raise RuntimeError(f"adaptive_avg_pool2d: {text} {{{', '.join(map(str, sizes))}}}")
    if sizes == (1, 1):
        return x.mean((-1, -2), keepdim=True)
    _check_parts(x)
    if x._array.size and min(sizes):  # else no kernel is called
        only_floats(x._array, "adaptive_avg_pool2d")
    return ops.AdaptiveAvgPool2DBackward0.call(x, sizes)


def _check_parts(x) -> None:
    """An image that has elements, or several, of which there may be none."""
    shape = list(x.shape)
    if x.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {shape}")
    for dim, n in enumerate(shape):
        if not n and dim >= x.ndim - 2:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch "
                f"dimensions, but input has sizes {shape} with dimension {dim} being empty"
            )


# -- modules --


class _MaxPool(Module):
    """What the windows of sequences and of images have in common; `_pool` is the function."""

    _in_repr = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
    _pool: Any

    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
        ceil_mode=False,
    ):  # fmt: skip
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, x):
        shape = self.kernel_size, self.stride, self.padding, self.dilation
        return self._pool(x, *shape, self.ceil_mode, self.return_indices)


class MaxPool2d(_MaxPool):
    """The largest number of each window."""

    _pool = staticmethod(max_pool2d)


class AvgPool2d(Module):
    """The mean of each window."""

    _in_repr = "kernel_size", "stride", "padding"

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None,
    ):  # fmt: skip
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, x):
        shape = self.kernel_size, self.stride, self.padding
        more = self.ceil_mode, self.count_include_pad, self.divisor_override
        return avg_pool2d(x, *shape, *more)


class AdaptiveAvgPool2d(Module):
    """The means of as many parts of each image as output_size says."""

    _in_repr = ("output_size",)

    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, x):
        return adaptive_avg_pool2d(x, self.output_size)
