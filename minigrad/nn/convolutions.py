"""Convolutions of sequences and of images: functions and modules, and what they refuse."""

from __future__ import annotations

from math import prod

from minigrad.core.dtypes import bool_, int32, uint8
from minigrad.nn.module import Module, uniform
from minigrad.ops import messages
from minigrad.ops.convolution import ConvolutionBackward0

USUAL = {"groups": 1, "padding_mode": "zeros"}
NUMBERS = (
    "expected {name} to be a single integer value or a list of {axes} values to match the "
    "convolution dimensions, but got {name}={found}"
)
OTHER_AXES = (
    "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input "
    "of size {3} instead"
)
TOO_SMALL = (
    "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be "
    "greater than actual input size"
)

# -- what is refused --


def only_plain(layer, padding, **others) -> None:
    odd = [name for name, value in others.items() if name not in USUAL or value != USUAL[name]]
    if odd or isinstance(padding, str):
        raise NotImplementedError(
            f"minigrad's {layer} does not know {odd[0] if odd else 'padding as a word'}: it takes "
            "stride, padding and dilation as numbers, and bias"
        )


def each_axis(number, axes: int) -> tuple:
    """A number for each axis, from one for all of them or from as many."""
    numbers = (number,) if isinstance(number, int) else tuple(number)
    return numbers * axes if len(numbers) == 1 else numbers


def check_axes(name, axes, x, weight) -> None:
    if x.ndim != axes + 2:
        raise RuntimeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got "
            f"input of size: {list(x.shape)}"
        )
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")


def check_numbers(axes, **given) -> None:
    """stride, padding and dilation: one for each axis, none below what it may be."""
    for name, numbers in given.items():
        if len(numbers) not in (1, axes):
            raise RuntimeError(NUMBERS.format(name=name, axes=axes, found=list(numbers)))
    if min(given["padding"]) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(given["stride"]) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(given["dilation"]) < 0:
        raise RuntimeError("dilation should be greater than zero")


def check_sizes(x, weight, bias) -> None:
    """The channels of the image and of the filters, and the filters and their biases."""
    shape = list(weight.shape)
    if x.ndim != weight.ndim:
        raise RuntimeError(OTHER_AXES.format(weight.ndim, shape, x.ndim, list(x.shape)))
    if not len(weight):
        raise RuntimeError(
            "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of "
            f"size {shape} instead"
        )
    if x.shape[1] != weight.shape[1]:
        raise RuntimeError(
            f"Given groups=1, weight of size {shape}, expected input{list(x.shape)} to have "
            f"{weight.shape[1]} channels, but got {x.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise RuntimeError(
            f"Given weight of size {shape}, expected bias to be 1-dimensional with {len(weight)} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )


def check_room(x, weight, padding, dilation) -> None:
    """A window fits into the image with its frame, and there is an image."""
    has = [n + 2 * pad for n, pad in zip(x.shape[2:], padding, strict=True)]
    wants = [(k - 1) * apart + 1 for k, apart in zip(weight.shape[2:], dilation, strict=True)]
    if any(k > n for k, n in zip(wants, has, strict=True)):
        raise RuntimeError(TOO_SMALL.format(*(" x ".join(map(str, s)) for s in (has, wants))))
    if 0 in x.shape[2:] and 0 not in x.shape[:2]:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*x.shape[:2], *as_image(x.shape[2:])]}"
        )


def as_image(numbers) -> list:
    """As PyTorch's kernels see a sequence: it is an image of one row."""
    return [*[1] * (2 - len(numbers)), *numbers]


def check_kernel(x, weight, dilation) -> None:
    """What PyTorch's kernels refuse; of no image none is called."""
    if x.dtype is not weight.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.legacy}) and weight type ({weight.dtype.legacy}) should be the "
            "same or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    if len(x) and min(dilation) == 0:
        found = as_image(dilation)
        raise RuntimeError(f"dilation should be greater than zero, but got {found}")
    if len(x) and set(dilation) != {1} and x.dtype in (bool_, uint8, int32):
        raise messages.not_implemented("slow_conv_dilated<>", x)
    if len(x) and x.dtype is bool_:
        raise messages.not_implemented("slow_conv2d_cpu", x)


def check_bias(x, bias) -> None:
    if bias is not None and bias.dtype is not x.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )


# -- functions --


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Each sequence's windows, times the weight (out, in, length)."""
    return _convolved("conv1d", 1, x, weight, bias, stride, padding, dilation, groups)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Each image's windows, times the weight (out, in, height, width)."""
    return _convolved("conv2d", 2, x, weight, bias, stride, padding, dilation, groups)


def _convolved(name, axes, x, weight, bias, stride, padding, dilation, groups):
    only_plain(name, padding, groups=groups)
    check_bias(x, bias)
    if x.ndim == axes + 1:
        places = stride, padding, dilation, groups
        return _convolved(name, axes, x[None], weight, bias, *places).squeeze(0)
    check_axes(name, axes, x, weight)
    stride, padding, dilation = (each_axis(n, axes) for n in (stride, padding, dilation))
    check_numbers(weight.ndim - 2, stride=stride, padding=padding, dilation=dilation)
    check_sizes(x, weight, bias)
    check_room(x, weight, padding, dilation)
    check_kernel(x, weight, dilation)
    sizes = (0,) if bias is None else tuple(bias.shape)
    rest = sizes, dilation, 1, (0,) * axes, False
    return ConvolutionBackward0.call(x, weight, bias, stride, padding, *rest)


# -- modules --


class _Convolution(Module):
    """A filter for each output channel; weight is (out_channels, in_channels, *kernel_size)."""

    axes: int

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", **others,
    ):  # fmt: skip
        others = {"groups": groups, "padding_mode": padding_mode, **others}
        only_plain(type(self).__name__, padding, **others)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = each_axis(kernel_size, self.axes)
        self.stride, self.padding = each_axis(stride, self.axes), each_axis(padding, self.axes)
        self.dilation = each_axis(dilation, self.axes)
        shape = out_channels, in_channels, *self.kernel_size
        bound = prod(shape[1:]) ** -0.5
        self.weight = uniform(shape, bound)
        self.bias = uniform(shape[:1], bound) if bias else None

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        text += f", padding={self.padding}" if any(self.padding) else ""
        text += f", dilation={self.dilation}" if set(self.dilation) != {1} else ""
        return text + ("" if self.bias is not None else ", bias=False")


class Conv1d(_Convolution):
    """Of sequences: (batch, channels, length)."""

    axes = 1

    def forward(self, x):
        return conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation)


class Conv2d(_Convolution):
    """Of images: (batch, channels, height, width)."""

    axes = 2

    def forward(self, x):
        return conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation)
