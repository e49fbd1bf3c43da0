"""A convolution is a matrix product: each window of the image, laid out as a column.

Windows overlap, so the columns are many times the image: they are made for a few images at a
time, and never kept. An image has any number of axes after its channels: a sequence has one.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from minigrad.core import arrays
from minigrad.core.op import Op

CACHE = 2**18  # bytes of columns at a time: they are read right after they are written


class Places(NamedTuple):
    """Where the windows of an image lie; a number for each of its axes."""

    stride: tuple
    padding: tuple
    dilation: tuple


class ConvolutionBackward0(Op):
    """conv1d and conv2d save image and weight, whoever wants a gradient; no column is kept."""

    inputs = ("input", "weight", "bias")
    saves = {"input": "input weight bias", "weight": "input weight bias"}
    argument_names = (
        "stride", "padding", "bias_sym_sizes_opt", "dilation", "groups", "output_padding",
        "transposed",
    )  # fmt: skip

    @staticmethod
    def forward(x, weight, bias, stride, padding, _, dilation, *rest):
        result = convolved(x, weight, Places(stride, padding, dilation))
        if bias is not None:
            result += bias.reshape(-1, *[1] * (x.ndim - 2))
        return result

    def backward(node, grad, x, weight):
        return node.gradients(node.needs_input_grad, grad, x, weight)

    def gradients(node, wanted, grad, x, weight) -> tuple:
        stride, padding, _, dilation, *_ = node.arguments
        places = Places(stride, padding, dilation)
        for_x, for_weight, for_bias = wanted
        return (
            of_image(grad, x.shape, weight, places) if for_x else None,
            of_weight(grad, x, weight.shape, places) if for_weight else None,
            grad.sum((0, *range(2, grad.ndim))) if for_bias else None,
        )


# -- the product, and its gradients --


def convolved(x, weight, places):
    """Each window of each image, times each filter."""
    views = windows(padded(x, places.padding), weight.shape[2:], places)
    filters = weight.reshape(len(weight), -1)
    shape = len(x), len(weight), *views.shape[weight.ndim :]
    result = np.empty_like(x, order="C", shape=shape)
    for few in portions(views):
        np.matmul(filters, columns(views[few]), out=flat(result)[few])
    return result


def of_weight(grad, x, shape, places):
    """The gradient of a weight of that shape."""
    views, grad = windows(padded(x, places.padding), shape[2:], places), flat(grad)
    total = np.zeros_like(x, order="C", shape=(shape[0], prod(shape[1:])))
    for few in portions(views):
        total += (grad[few] @ columns(views[few]).swapaxes(1, 2)).sum(0)
    return total.reshape(shape)


def of_image(grad, shape, weight, places):
    """The gradient of an image: that of each window goes to where the window was; they add up."""
    frame, grad = places.padding, flat(grad)
    sides = [n + 2 * pad for n, pad in zip(shape[2:], frame, strict=True)]
    result = np.zeros_like(weight, order="C", shape=(*shape[:2], *sides))
    views, filters = windows(result, weight.shape[2:], places), weight.reshape(len(weight), -1)
    for few in portions(views):
        pieces = (filters.T @ grad[few]).reshape(views[few].shape)
        for spot in np.ndindex(*weight.shape[2:]):
            views[(few, slice(None), *spot)] += pieces[(slice(None), slice(None), *spot)]
    inner = result[(..., *(slice(pad, pad + n) for n, pad in zip(shape[2:], frame, strict=True)))]
    return inner.copy() if any(frame) else inner  # the frame is not to live on in `.grad`


# -- how windows are looked at --


def padded(x, padding):
    """`x` with a frame of zeros."""
    return np.pad(x, [(0, 0), (0, 0), *((n, n) for n in padding)]) if any(padding) else x


def windows(x, size, places):
    """Every window of each image: (n, channels, *size, *how many there are), a view of `x`."""
    outer, steps = x.strides[:2], x.strides[2:]
    sides = zip(x.shape[2:], size, places.stride, places.dilation, strict=True)
    counts = [(n - (k - 1) * apart - 1) // stride + 1 for n, k, stride, apart in sides]
    inside = [apart * step for apart, step in zip(places.dilation, steps, strict=True)]
    jumps = [stride * step for stride, step in zip(places.stride, steps, strict=True)]
    return arrays.strided(x, (*x.shape[:2], *size, *counts), (*outer, *inside, *jumps))


def columns(views):
    """One column per window: (n, channels * elements of a window, windows)."""
    first = views.ndim // 2 + 1  # the axis where windows are counted, after those inside of one
    return views.reshape(len(views), prod(views.shape[1:first]), prod(views.shape[first:]))


def flat(image):
    """Its elements, or windows, in a row: (n, channels, elements)."""
    return image.reshape(*image.shape[:2], prod(image.shape[2:]))


def portions(views):
    """Slices of the batch whose columns fit into CACHE."""
    size = max(1, CACHE * len(views) // max(views.nbytes, 1))
    return [slice(start, start + size) for start in range(0, len(views), size)]
