"""Convolutions of sequences and of images, and transposed ones, which make them larger again."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.core.frames import warn
from minigrad.core.words import wrong_kind
from minigrad.nn.convolution_checks import (
    OTHER_AXES,
    STRIDED,
    UNEVEN,
    check_all,
    check_axes,
    check_bias,
    check_groups,
    check_word,
    each_axis,
    only_zeros,
    repeated,
    rows_more,
)
from minigrad.nn.init import begin_filters
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.convolution import ConvolutionBackward0, Places
from minigrad.ops.padding import pad
from minigrad.ops.shapes import whole_like

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
    transposed, word = more is not None, isinstance(places[1], str)
    if transposed and word:
        raise wrong_kind("padding", "tuple of ints", places[1])
    if not (transposed or word):
        check_bias(x, bias)
    if x.ndim == axes + 1:
        return _convolved(axes, x[None], weight, bias, places, groups, more).squeeze(0)
    check_axes(f"conv{'_transpose' * transposed}{axes}d", axes, x, weight, places[1])
    if (groups := whole_like(groups, "groups")) <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shown = (0,) if places[1] == "valid" else None  # as PyTorch's node shows it
    if word:
        x, *places = _by_word(axes, x, weight, *places)
    places, more = Places(*(each_axis(n, axes) for n in places)), each_axis(more or 0, axes)
    check_all(x, weight, bias, places, groups, more, transposed)
    sizes = (0,) if bias is None else tuple(bias.shape)
    rest = shown or places.padding, sizes, places.dilation, groups, shown or more, transposed
    return ConvolutionBackward0.call(x, weight, bias, places.stride, *rest)


def _by_word(axes, x, weight, stride, padding, dilation) -> tuple:
    """The image, and stride, padding and dilation in numbers.

    With "same" the result is as large as the image. Where an odd number of rows or columns of zeros
    is needed for that, the image gets one of them, at its end.
    """
    if padding == "valid":
        return x, stride, 0, dilation
    if x.ndim != weight.ndim:
        text = OTHER_AXES.replace(" {1}", "{1}")  # here without a space
        raise RuntimeError(text.format(weight.ndim, list(weight.shape), x.ndim, list(x.shape)))
    steps, gaps = each_axis(stride, axes), each_axis(dilation, axes)
    for name, numbers in (("stride", steps), ("dilation", gaps)):
        if len(numbers) != axes:
            raise RuntimeError(f"{name} cannot broadcast to {axes} dimensions")
    if set(steps) != {1}:
        raise RuntimeError(STRIDED)
    missing = [(k - 1) * gap for k, gap in zip(weight.shape[2:], gaps, strict=True)]
    if any(n % 2 for n in missing):
        warn(UNEVEN)
        x = pad(x, [end for n in reversed(missing) for end in (0, n % 2)])
    return x, stride, tuple(n // 2 for n in missing), dilation


# -- modules --


class _Convolution(Module):
    """A filter for each output channel; weight is (out_channels, in_channels / groups,
    *kernel_size).
    """

    axes: int
    function: Callable  # of nn.functional
    transposed = False
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", device=None, dtype=None, **others,
    ):  # fmt: skip
        check_groups(groups, in_channels, out_channels)
        only_zeros(type(self).__name__, padding_mode, **others)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.padding_mode = repeated(kernel_size, self.axes), padding_mode
        self.stride, self.padding = repeated(stride, self.axes), padding
        if not isinstance(padding, str) or self.transposed:
            self.padding = repeated(padding, self.axes)
        else:
            check_word(padding, self.stride)
        self.dilation, self.output_padding = repeated(dilation, self.axes), (0,) * self.axes
        first, second = (out_channels, in_channels)[:: -1 if self.transposed else 1]
        weight = first, second // groups, *self.kernel_size
        vacant(self, {"weight": weight, "bias": (out_channels,) if bias else None}, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        begin_filters(self.weight, self.bias)

    def forward(self, x):
        return self._conv_forward(x, self.weight, self.bias)

    def _conv_forward(self, x, weight, bias):
        places = self.stride, self.padding, self.dilation, self.groups
        return self.function(x, weight, bias, *places)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        text += f", padding={self.padding}" if set(self.padding) != {0} else ""
        text += f", dilation={self.dilation}" if set(self.dilation) != {1} else ""
        text += f", output_padding={self.output_padding}" if any(self.output_padding) else ""
        text += f", groups={self.groups}" if self.groups != 1 else ""
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
    """A filter for each input channel; weight is (in_channels, out_channels / groups,
    *kernel_size).
    """

    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None, **others,
    ):  # fmt: skip
        if padding_mode != "zeros":
            name = type(self).__name__
            raise ValueError(f'Only "zeros" padding mode is supported for {name}')
        sizes, placed = (in_channels, out_channels, kernel_size), (padding_mode, device, dtype)
        super().__init__(*sizes, stride, padding, dilation, groups, bias, *placed, **others)
        self.output_padding = repeated(output_padding, self.axes)

    def forward(self, x, output_size=None):
        more = self.output_padding if output_size is None else rows_more(self, x, output_size)
        places = self.stride, self.padding, more
        return self.function(x, self.weight, self.bias, *places, self.groups, self.dilation)


class ConvTranspose1d(_ConvTranspose):
    """From short sequences to longer ones: (batch, channels, length)."""

    axes = 1
    function = staticmethod(conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """From small images to larger ones: (batch, channels, height, width)."""

    axes = 2
    function = staticmethod(conv_transpose2d)
