"""Pooling: of each window of an image its largest number, or the mean.

Windows are looked at one place at a time, in all images at once, so that they are never copied.
The image's last two axes are height and width; how many there are before them does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import add_at, strided
from minigrad.core.backend import beside
from minigrad.core.op import Op
from minigrad.ops.arithmetic import like
from minigrad.ops.halves import wide


class Windows:
    """Where the windows lie: `size`, `stride`, `padding`, `dilation` are pairs; `places`, how many
    there are down and across."""

    def __init__(self, shape, size, stride, padding, dilation=(1, 1), ceil_mode=False):
        self.shape, self.size, self.padding, self.dilation = shape, size, padding, dilation
        self.stride = stride or size
        each = zip(shape[-2:], size, self.stride, padding, dilation, strict=True)
        self.places = tuple(places(*numbers, ceil_mode) for numbers in each)

    def framed(self, image, value):
        """`image` with a frame of that value, as wide as the windows reach."""
        top, left = self.padding
        each = zip(self.shape[-2:], self.size, self.stride, self.dilation, self.places, strict=True)
        high, wide = ((n - 1) * step + d * (k - 1) + 1 for _, k, step, d, n in each)
        h, w = image.shape[-2:]
        shape = *image.shape[:-2], max(high, h + top), max(wide, w + left)
        result = np.empty_like(image, order="C", shape=shape)
        result.fill(value)
        self.inner(result)[...] = image
        return result

    def inner(self, framed):
        """The image in its frame."""
        (top, left), (h, w) = self.padding, self.shape[-2:]
        return framed[..., top : top + h, left : left + w]

    def each(self, framed):
        """For each place in a window, what stands there in all windows: views."""
        *steps, down, across = framed.strides
        (y, x), (dy, dx) = self.stride, self.dilation
        shape = *framed.shape[:-2], *self.places
        for i, j in np.ndindex(*self.size):
            corner = framed[..., i * dy :, j * dx :]
            yield strided(corner, shape, (*steps, down * y, across * x))


def places(length, size, stride, padding, dilation, ceil_mode) -> int:
    """How many windows lie along an axis; with ceil_mode the last one may reach out of it."""
    room = length + 2 * padding - dilation * (size - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    n = -(-room // stride) + 1
    return n - ((n - 1) * stride >= length + padding)


def largest(x, windows):
    """Where in its image the largest number of each window stands."""
    numbers = beside(np.arange(x.shape[-2] * x.shape[-1]).reshape(x.shape[-2:]), x)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    each = windows.each(windows.framed(x, lowest)), windows.each(windows.framed(numbers, -1))
    best: Any = lowest
    where: Any = -1
    for value, index in zip(*each, strict=True):
        better = (value > best) | (value != value) | (where < 0)
        best, where = np.where(better, value, best), np.where(better, index, where)
    return where


def as_rows(x):
    """`x` as a matrix: a row for each image's channel."""
    return x.reshape(int(np.prod(x.shape[:-2])), x.shape[-2] * x.shape[-1])


class MaxPool2DWithIndicesBackward0(Op):
    """max_pool2d saves its input, and for each window the place of its largest number: 8 bytes."""

    extras = ("result1",)
    saves = {"result1": "self", "self": "self"}
    argument_names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    @staticmethod
    def forward(x, indices, *arguments):
        return np.take_along_axis(as_rows(x), as_rows(indices), 1).reshape(indices.shape)

    def backward(node, grad, indices, x):
        result = np.zeros_like(x, order="C")
        rows = as_rows(result)
        each = beside(np.arange(len(rows)), x)[:, None]
        add_at(rows, (each, as_rows(indices)), as_rows(grad))
        return result


class AvgPool2DBackward0(Op):
    """avg_pool2d saves its input, of which its gradient only asks the shape."""

    saves = {"self": "self"}
    argument_names = (
        "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override",
    )  # fmt: skip

    @staticmethod
    def forward(x, *arguments):
        windows = of_mean(x, arguments)
        image = wide(x)
        total: Any = sum(windows.each(windows.framed(image, 0)))
        return like(total / divisor(image, windows, *arguments[4:]), x)

    def backward(node, grad, x):
        windows = of_mean(x, node.arguments)
        image = wide(x)
        share = grad / divisor(image, windows, *node.arguments[4:])
        result = np.zeros_like(windows.framed(image, 0))
        for places in windows.each(result):
            places += share
        return windows.inner(result).astype(x.dtype)


def of_mean(x, arguments) -> Windows:
    """The windows that avg_pool2d was told of."""
    size, stride, padding, ceil_mode = arguments[:4]
    return Windows(x.shape, size, stride, padding, ceil_mode=ceil_mode)


def divisor(x, windows, include, override):
    """What the sum of each window is divided by: how many numbers it has, the padding or not."""
    if override is not None:
        return override
    counted = windows.framed(np.ones_like(x, shape=x.shape[-2:]), 1 if include else 0)
    (h, w), (top, left) = x.shape[-2:], windows.padding
    counted[h + 2 * top :], counted[:, w + 2 * left :] = 0, 0
    return sum(windows.each(counted))


class AdaptiveAvgPool2DBackward0(Op):
    """adaptive_avg_pool2d saves its input, of which its gradient only asks the shape."""

    saves = {"self": "self"}
    argument_names = ("",)

    @staticmethod
    def forward(x, size):
        result = np.empty_like(x, order="C", shape=(*x.shape[:-2], *size))
        for (i, j), part in parts(x, size):
            result[..., i, j] = part.mean((-2, -1))
        return result

    def backward(node, grad, x):
        (size,) = node.arguments
        result = np.zeros_like(x, order="C")
        for (i, j), part in parts(result, size):
            part += grad[..., i, j, None, None] / (part.shape[-1] * part.shape[-2])
        return result


def parts(x, size):
    """((row, column), the part of the images) for each place of the result: views."""
    for place in np.ndindex(*size):
        each = zip(place, x.shape[-2:], size, strict=True)
        yield place, x[(..., *(slice(i * n // m, -(-(i + 1) * n // m)) for i, n, m in each))]
