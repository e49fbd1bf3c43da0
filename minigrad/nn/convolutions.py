"""Convolutions of images and of sequences, and the transposed one, which makes images larger."""

from __future__ import annotations

from minigrad.nn import checks
from minigrad.nn.module import Module, uniform
from minigrad.ops.convolution import ConvolutionBackward0

SIZES = {1: ("2D", "3D"), 2: ("3D", "4D")}
OTHER_AXES = (
    "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input "
    "of size {3} instead"
)
TOO_MUCH = (
    "output padding must be smaller than either stride or dilation, but got "
    "output_padding_height: {0} output_padding_width: {1} stride_height: {2} stride_width: {3} "
    "dilation_height: 1 dilation_width: 1"
)

# -- functions --


def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1):
    """Each sequence's windows, times the weight (out, in, length)."""
    return _convolved("conv1d", 1, x, weight, bias, stride, padding, dilation)


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1):
    """Each image's windows, times the weight (out, in, height, width)."""
    return _convolved("conv2d", 2, x, weight, bias, stride, padding, dilation)


def conv_transpose2d(
    x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """Each number times the weight (in, out, height, width), added up where they overlap."""
    checks.only_plain_convolution("conv_transpose2d", 0, {"groups": groups})
    name, places = "conv_transpose2d", (stride, padding, dilation)
    return _convolved(name, 2, x, weight, bias, *places, output_padding)


def _convolved(name, axes, x, weight, bias, stride, padding, dilation, more=None):
    if x.ndim == axes + 1:
        places = stride, padding, dilation, more
        return _convolved(name, axes, x[None], weight, bias, *places).squeeze(0)
    stride, padding, dilation = (checks.several(n, axes) for n in (stride, padding, dilation))
    extra, transposed = checks.several(more or 0, axes), more is not None
    if x.ndim != axes + 2:
        raise RuntimeError(
            "Expected {} (unbatched) or {} (batched) input to ".format(*SIZES[axes])
            + f"{name}, but got input of size: {list(x.shape)}"
        )
    if weight.ndim != x.ndim:
        shapes = weight.ndim, list(weight.shape), x.ndim, list(x.shape)
        raise RuntimeError(OTHER_AXES.format(*shapes))
    if transposed and any(n >= step for n, step in zip(extra, stride, strict=True)):
        raise RuntimeError(TOO_MUCH.format(*extra, *stride))
    checks.convolution(x, weight, bias, stride, padding, dilation, transposed)
    sizes = (0,) if bias is None else tuple(bias.shape)
    rest = sizes, dilation, 1, extra, transposed
    return ConvolutionBackward0.call(x, weight, bias, stride, padding, *rest)


# -- modules --


class _Convolution(Module):
    """A filter for each output channel."""

    axes = 2
    transposed = False

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, *,
        bias=True, **others,
    ):  # fmt: skip
        checks.only_plain_convolution(type(self).__name__, padding, others)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = checks.several(kernel_size, self.axes)
        self.stride = checks.several(stride, self.axes)
        self.padding = checks.several(padding, self.axes)
        self.dilation = checks.several(dilation, self.axes)
        shape = (out_channels, in_channels)[:: -1 if self.transposed else 1]
        size = shape[1]
        for k in self.kernel_size:
            size *= k
        self.weight = uniform((*shape, *self.kernel_size), size**-0.5)
        self.bias = uniform((out_channels,), size**-0.5) if bias else None

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        text += f", stride={self.stride}"
        text += f", padding={self.padding}" if any(self.padding) else ""
        text += f", dilation={self.dilation}" if any(d != 1 for d in self.dilation) else ""
        text += f", output_padding={self.output_padding}" if any(self.output_padding) else ""
        return text + ("" if self.bias is not None else ", bias=False")

    output_padding: tuple = ()


class Conv1d(_Convolution):
    """Of sequences; weight is (out_channels, in_channels, length)."""

    axes = 1

    def forward(self, x):
        return conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation)


class Conv2d(_Convolution):
    """One output channel per filter; weight is (out_channels, in_channels, height, width)."""

    def forward(self, x):
        return conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation)


class ConvTranspose2d(_Convolution):
    """The gradient of a Conv2d as a layer; weight is (in_channels, out_channels, ...)."""

    transposed = True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, **others,
    ):  # fmt: skip
        places = kernel_size, stride, padding, dilation
        super().__init__(in_channels, out_channels, *places, bias=bias, groups=groups, **others)
        self.output_padding = checks.several(output_padding, 2)

    def forward(self, x):
        places = self.stride, self.padding, self.output_padding, 1, self.dilation
        return conv_transpose2d(x, self.weight, self.bias, *places)
