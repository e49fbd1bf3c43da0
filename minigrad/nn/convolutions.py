"""Convolutions of sequences and of images, and transposed ones, which make them larger again.

Functions and modules, and what they refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from minigrad.core.dtypes import bool_, int32, uint8
from minigrad.nn.module import Module, bound_of, placed, uniform
from minigrad.ops import messages
from minigrad.ops.convolution import ConvolutionBackward0, Places, grown
from minigrad.ops.shapes import several

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
NO_RESULT = (
    "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is "
    "too small"
)
TOO_MUCH = (
    "output padding must be smaller than either stride or dilation, but got "
    "output_padding_height: {} output_padding_width: {} stride_height: {} stride_width: {} "
    "dilation_height: {} dilation_width: {}"
)
OTHER_DTYPE = (
    "Input type ({}) and {what} type ({}) should be the same or input should be a MKLDNN tensor "
    "and {what} is a dense tensor"
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
    numbers = several(number)
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
    """One for each axis, none below what it may be."""
    for name, numbers in given.items():
        if len(numbers) not in (1, axes):
            raise RuntimeError(NUMBERS.format(name=name, axes=axes, found=list(numbers)))
    for name in ("padding", "output_padding"):
        if min(given[name]) < 0:
            raise RuntimeError(f"negative {name} is not supported")
    if min(given["stride"]) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(given["dilation"]) < 0:
        raise RuntimeError("dilation should be greater than zero")


def check_sizes(x, weight, bias, transposed) -> None:
    """The channels of the image and of the filters, and the filters and their biases."""
    shape = list(weight.shape)
    takes, gives = weight.shape[:2] if transposed else weight.shape[1::-1]
    way = "transposed=1, " if transposed else ""
    if x.ndim != weight.ndim:
        raise RuntimeError(OTHER_AXES.format(weight.ndim, shape, x.ndim, list(x.shape)))
    if not len(weight):
        raise RuntimeError(
            "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of "
            f"size {shape} instead"
        )
    if x.shape[1] != takes:
        raise RuntimeError(
            f"Given {way or 'groups=1, '}weight of size {shape}, expected input{list(x.shape)} to "
            f"have {takes} channels, but got {x.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != (gives,):
        raise RuntimeError(
            f"Given {way}weight of size {shape}, expected bias to be 1-dimensional with {gives} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )


def check_room(x, weight, places) -> None:
    """A window fits into the image with its frame."""
    has = [n + 2 * pad for n, pad in zip(x.shape[2:], places.padding, strict=True)]
    wants = [(k - 1) * gap + 1 for k, gap in zip(weight.shape[2:], places.dilation, strict=True)]
    if any(k > n for k, n in zip(wants, has, strict=True)):
        raise RuntimeError(TOO_SMALL.format(by(has), by(wants)))


def check_result(x, weight, places, more) -> None:
    """The result has a size; its output padding is less than the stride, or the dilation."""
    stride, _, dilation = places
    if len(x) and any(m >= max(steps) for m, *steps in zip(more, stride, dilation, strict=True)):
        found = as_image(more, 0), as_image(stride), as_image(dilation)
        raise RuntimeError(TOO_MUCH.format(*sum(found, [])))
    sides = grown(x.shape[2:], weight.shape[2:], places, more)
    if min(sides) < (1 if len(x) else 0):
        raise RuntimeError(NO_RESULT.format(*(by(as_image(s)) for s in (x.shape[2:], sides))))


def check_image(x) -> None:
    if 0 in x.shape[2:] and 0 not in x.shape[:2]:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*x.shape[:2], *as_image(x.shape[2:])]}"
        )


def as_image(numbers, one: int = 1) -> list:
    """As PyTorch's kernels see a sequence: it is an image of one row."""
    return [*[one] * (2 - len(numbers)), *numbers]


def by(numbers) -> str:
    return " x ".join(map(str, numbers))


def check_dtypes(x, **others) -> None:
    for name, other in others.items():
        if other is not None and other.dtype is not x.dtype:
            raise RuntimeError(OTHER_DTYPE.format(x.dtype.legacy, other.dtype.legacy, what=name))


def check_dilation(dilation, transposed) -> None:
    if min(dilation) == 0:
        found = as_image(dilation)
        text = "dilation_height: {}, dilation_width: {}".format(*found) if transposed else found
        raise RuntimeError(f"dilation should be greater than zero, but got {text}")


def check_kernel(x, dilation, transposed) -> None:
    """PyTorch has no kernel of this kind for the dtype."""
    if transposed and x.dtype in (bool_, uint8, int32):
        raise messages.not_implemented("slow_conv_transpose2d_out_cpu", x)
    if set(dilation) != {1} and x.dtype in (bool_, uint8, int32):
        raise messages.not_implemented("slow_conv_dilated<>", x)
    if x.dtype is bool_:
        raise messages.not_implemented("slow_conv2d_cpu", x)


def check_bias(x, bias) -> None:
    if bias is not None and bias.dtype is not x.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )


# -- functions --


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Each sequence's windows, times the weight (out, in, length)."""
    return _convolved(1, x, weight, bias, (stride, padding, dilation), groups)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Each image's windows, times the weight (out, in, height, width)."""
    return _convolved(2, x, weight, bias, (stride, padding, dilation), groups)


def conv_transpose1d(
    x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """Each number, times the weight (in, out, length), where its window is; they add up."""
    places = stride, padding, dilation
    return _convolved(1, x, weight, bias, places, groups, output_padding)


def conv_transpose2d(
    x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """Each number, times the weight (in, out, height, width), where its window is; they add up."""
    places = stride, padding, dilation
    return _convolved(2, x, weight, bias, places, groups, output_padding)


def _convolved(axes, x, weight, bias, places, groups, more=None):
    """`places` are stride, padding, dilation; `more` is the output padding of a transposed one."""
    transposed = more is not None
    name = f"conv{'_transpose' * transposed}{axes}d"
    only_plain(name, places[1], groups=groups)
    if not transposed:
        check_bias(x, bias)
    if x.ndim == axes + 1:
        return _convolved(axes, x[None], weight, bias, places, groups, more).squeeze(0)
    check_axes(name, axes, x, weight)
    places, more = Places(*(each_axis(n, axes) for n in places)), each_axis(more or 0, axes)
    check_numbers(weight.ndim - 2, **places._asdict(), output_padding=more)
    check_sizes(x, weight, bias, transposed)
    if not transposed:
        check_room(x, weight, places)
    check_image(x)
    check_dtypes(x, weight=weight, bias=bias)
    if len(x):
        check_dilation(places.dilation, transposed)
    if transposed:
        check_result(x, weight, places, more)
    if len(x):
        check_kernel(x, places.dilation, transposed)
    sizes = (0,) if bias is None else tuple(bias.shape)
    rest = places.stride, places.padding, sizes, places.dilation, 1, more, transposed
    return ConvolutionBackward0.call(x, weight, bias, *rest)


# -- modules --


class _Convolution(Module):
    """A filter for each output channel; weight is (out_channels, in_channels, *kernel_size)."""

    axes: int
    function: Callable  # of nn.functional
    transposed = False

    @placed
    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", **others,
    ):  # fmt: skip
        others = {"groups": groups, "padding_mode": padding_mode, **others}
        only_plain(type(self).__name__, padding, **others)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = each_axis(kernel_size, self.axes)
        self.stride, self.padding = each_axis(stride, self.axes), each_axis(padding, self.axes)
        self.dilation, self.output_padding = each_axis(dilation, self.axes), (0,) * self.axes
        first, second = (out_channels, in_channels)[:: -1 if self.transposed else 1]
        bound = bound_of(prod((second, *self.kernel_size)))
        self.weight = uniform((first, second, *self.kernel_size), bound)
        self.bias = uniform((out_channels,), bound) if bias else None

    def forward(self, x):
        places = {"padding": self.padding, "dilation": self.dilation}
        if self.transposed:
            places["output_padding"] = self.output_padding
        return self.function(x, self.weight, self.bias, self.stride, **places)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        text += f", padding={self.padding}" if any(self.padding) else ""
        text += f", dilation={self.dilation}" if set(self.dilation) != {1} else ""
        text += f", output_padding={self.output_padding}" if any(self.output_padding) else ""
        return text + ("" if self.bias is not None else ", bias=False")


class Conv1d(_Convolution):
    """Of sequences: (batch, channels, length)."""

    axes = 1
    function = staticmethod(conv1d)


class Conv2d(_Convolution):
    """Of images: (batch, channels, height, width)."""

    axes = 2
    function = staticmethod(conv2d)


class _ConvTranspose(_Convolution):
    """A filter for each input channel; weight is (in_channels, out_channels, *kernel_size)."""

    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, padding_mode="zeros", **others,
    ):  # fmt: skip
        if padding_mode != "zeros":
            name = type(self).__name__
            raise ValueError(f'Only "zeros" padding mode is supported for {name}')
        sizes = in_channels, out_channels, kernel_size
        super().__init__(*sizes, stride, padding, dilation, groups, bias, **others)
        self.output_padding = each_axis(output_padding, self.axes)


class ConvTranspose1d(_ConvTranspose):
    """From short sequences to longer ones: (batch, channels, length)."""

    axes = 1
    function = staticmethod(conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """From small images to larger ones: (batch, channels, height, width)."""

    axes = 2
    function = staticmethod(conv_transpose2d)
