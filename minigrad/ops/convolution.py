"""A convolution is a matrix product: each window of the image, laid out as a column.

Windows overlap, so the columns are many times the image: they are made for a few images at a
time, and never kept. An image has any number of axes after its channels: a sequence has one.

A transposed convolution does to its input what a convolution's backward does to its gradient: it
lays each number, times a filter, where the window was. And the other way round.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from minigrad.core import arrays
from minigrad.core.op import Op
from minigrad.ops.halves import in_whole_floats

CACHE = 2**18  # bytes of columns at a time: they are read right after they are written


class Places(NamedTuple):
    """Where the windows of an image lie; a number for each of its axes."""

    stride: tuple
    padding: tuple
    dilation: tuple


class ConvolutionBackward0(Op):
    """It saves image and weight, whoever wants a gradient; no column is kept."""

    inputs = ("input", "weight", "bias")
    saves = {"input": "input weight bias", "weight": "input weight bias"}
    argument_names = (
        "stride", "padding", "bias_sym_sizes_opt", "dilation", "groups", "output_padding",
        "transposed",
    )  # fmt: skip

    @staticmethod
    @in_whole_floats
    def forward(x, weight, bias, stride, padding, _, dilation, groups, more, transposed):
        places = Places(stride, each(padding, x), dilation)
        if transposed:
            sides = grown(x.shape[2:], weight.shape[2:], places, more)
            product = in_groups(laid_out, groups, 1, 0)
            result = product(x, weight, (len(x), weight.shape[1], *sides), places)
        else:
            sides = counts(x.shape[2:], weight.shape[2:], places)
            result = in_groups(convolved, groups, 1, 0)(x, weight, sides, places)
        if bias is not None:
            result += bias.reshape(-1, *[1] * (x.ndim - 2))
        return result

    def backward(node, grad, x, weight):
        return node.gradients(node.needs_input_grad, grad, x, weight)

    def gradients(node, wanted, grad, x, weight) -> tuple:
        for_x, for_weight, for_bias = wanted
        return (
            node.of_input(grad, x, weight) if for_x else None,
            node.of_weight(grad, x, weight) if for_weight else None,
            arrays.added(grad, (0, *range(2, grad.ndim))) if for_bias else None,
        )

    def places(node, x):
        stride, padding, _, dilation, *_ = node.arguments
        return Places(stride, each(padding, x), dilation)

    def of_input(node, grad, x, weight):
        groups, places = node.arguments[4], node.places(x)
        if node.arguments[-1]:
            return in_groups(convolved, groups, 1, 0)(grad, weight, x.shape[2:], places)
        shape = (len(x), weight.shape[1], *x.shape[2:])
        return in_groups(laid_out, groups, 1, 0)(grad, weight, shape, places)

    def of_weight(node, grad, x, weight):
        groups, places = node.arguments[4], node.places(x)
        small, large = (x, grad) if node.arguments[-1] else (grad, x)
        return in_groups(compared, groups, 1, 1)(small, large, weight.shape[1:], places)


def each(padding, x) -> tuple:
    """One number for each axis of an image; "valid" is a single one, as in PyTorch."""
    return padding * (x.ndim - 2) if len(padding) == 1 else padding


# -- the product, and its gradients --


def in_groups(product, groups: int, *axes):
    """The same product of each group of channels: of the first two arrays, cut along these axes."""
    if groups == 1:
        return product

    def joined(x, y, *rest):
        pieces = (np.split(a, groups, axis) for a, axis in zip((x, y), axes, strict=True))
        found = [product(*pair, *rest) for pair in zip(*pieces, strict=True)]
        return np.concatenate(found, 0 if product is compared else 1)

    return joined


def convolved(x, weight, sides, places):
    """Each window of each image, times each filter; `sides`: how many windows along each axis."""
    views = windows(padded(x, places.padding), weight.shape[2:], sides, places)
    filters = weight.reshape(len(weight), -1)
    result = np.empty_like(x, order="C", shape=(len(x), len(weight), *sides))
    for few in portions(views):
        np.matmul(filters, columns(views[few]), out=flat(result)[few])
    return result


def compared(grad, x, shape, places):
    """Each window times the number that came of it: the gradient of filters of that shape."""
    views = windows(padded(x, places.padding), shape[1:], grad.shape[2:], places)
    grad = flat(grad)
    total = np.zeros_like(x, order="C", shape=(grad.shape[1], prod(shape)))
    for few in portions(views):
        total += in_a_row(grad[few]) @ in_a_row(columns(views[few])).T
    return total.reshape(-1, *shape)


def laid_out(grad, weight, shape, places):
    """An image of that shape: each number, times a filter, goes to its window; they add up."""
    frame = places.padding
    sides = [n + 2 * pad for n, pad in zip(shape[2:], frame, strict=True)]
    result = np.zeros_like(weight, order="C", shape=(*shape[:2], *sides))
    views = windows(result, weight.shape[2:], grad.shape[2:], places)
    grad, filters = flat(grad), weight.reshape(len(weight), -1)
    for few in portions(views):
        pieces = (filters.T @ grad[few]).reshape(views[few].shape)
        for spot in np.ndindex(*weight.shape[2:]):
            views[(few, slice(None), *spot)] += pieces[(slice(None), slice(None), *spot)]
    return unframed(result, frame) if any(frame) else result


# -- how windows are looked at --


def counts(sides, size, places) -> list:
    """How many windows of that size there are along each side of an image."""
    found = zip(sides, size, *places, strict=True)
    return [(n + 2 * pad - (k - 1) * gap - 1) // step + 1 for n, k, step, pad, gap in found]


def grown(sides, size, places, more) -> list:
    """The sides of an image that has so many windows, and `more` at its end."""
    found = zip(sides, size, *places, more, strict=True)
    return [(n - 1) * step - 2 * pad + (k - 1) * gap + 1 + m for n, k, step, pad, gap, m in found]


def padded(x, padding):
    """`x` with a frame of zeros."""
    return np.pad(x, [(0, 0), (0, 0), *((n, n) for n in padding)]) if any(padding) else x


def unframed(image, padding):
    """A copy without the frame, which is not to live on in `.grad`."""
    inside = [slice(pad, n - pad) for n, pad in zip(image.shape[2:], padding, strict=True)]
    return image[:, :, *inside].copy()


def windows(x, size, sides, places):
    """Every window of each image: (n, channels, *size, *sides), a view of `x`."""
    outer, steps = x.strides[:2], x.strides[2:]
    inside = [gap * step for gap, step in zip(places.dilation, steps, strict=True)]
    jumps = [stride * step for stride, step in zip(places.stride, steps, strict=True)]
    return arrays.strided(x, (*x.shape[:2], *size, *sides), (*outer, *inside, *jumps))


def columns(views):
    """One column per window: (n, channels * elements of a window, windows)."""
    first = views.ndim // 2 + 1  # the axis where windows are counted, after those inside of one
    return views.reshape(len(views), prod(views.shape[1:first]), prod(views.shape[first:]))


def flat(image):
    """Its elements, or windows, in a row: (n, channels, elements)."""
    return image.reshape(*image.shape[:2], prod(image.shape[2:]))


def in_a_row(matrices):
    """All of them as one, side by side: (rows, n * columns)."""
    n, rows, across = matrices.shape
    return matrices.swapaxes(0, 1).reshape(rows, n * across)


def portions(views):
    """Slices of the batch whose columns fit into CACHE."""
    size = max(1, CACHE * len(views) // max(views.nbytes, 1))
    return [slice(start, start + size) for start in range(0, len(views), size)]
