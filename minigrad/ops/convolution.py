"""A convolution is a matrix product: each window of the image, laid out as a column.

Windows overlap, so the columns are many times the image: they are made for a few images at a
time, and never kept.
"""

from __future__ import annotations

import numpy as np

from minigrad.core import arrays
from minigrad.core.op import Op

CACHE = 2**18  # bytes of columns at a time: they are read right after they are written


class ConvolutionBackward0(Op):
    """A convolution saves input and weight, whoever wants a gradient; columns are made again.

    A transposed one is the other's gradient in its image, and the other way round. Sequences are
    images of one row.
    """

    inputs = ("input", "weight", "bias")
    saves = {"input": "input weight bias", "weight": "input weight bias"}
    argument_names = (
        "stride", "padding", "bias_sym_sizes_opt", "dilation", "groups", "output_padding",
        "transposed",
    )  # fmt: skip

    @staticmethod
    def forward(x, weight, bias, *arguments):
        stride, padding, _, dilation, _, more, transposed = arguments
        places = image(stride), image(padding, 0), image(dilation)
        compute = transposed_result if transposed else convolved
        result = compute(as_image(x), as_image(weight), *places, image(more, 0))
        if bias is not None:
            result += bias[:, None, None]
        return result.reshape(*result.shape[:2], *result.shape[-len(stride) :])

    def backward(node, grad, x, weight):
        return node.gradients(node.needs_input_grad, grad, x, weight)

    def gradients(node, wanted, grad, x, weight) -> tuple:
        for_x, for_weight, for_bias = wanted
        return (
            node.of_input(grad, x, weight) if for_x else None,
            node.of_weight(grad, x, weight) if for_weight else None,
            grad.sum((0, *range(2, grad.ndim))) if for_bias else None,
        )

    def places(node) -> tuple:
        """Stride, padding and dilation, of images."""
        stride, padding, _, dilation, *_ = node.arguments
        return image(stride), image(padding, 0), image(dilation)

    def of_input(node, grad, x, weight):
        grad, filters = as_image(grad), as_image(weight)
        if node.arguments[-1]:
            return convolved(grad, filters, *node.places()).reshape(x.shape)
        return image_gradient(grad, as_image(x).shape, filters, *node.places()).reshape(x.shape)

    def of_weight(node, grad, x, weight):
        small, large = map(as_image, (x, grad) if node.arguments[-1] else (grad, x))
        found = weight_gradient(small, large, as_image(weight), *node.places())
        return found.reshape(weight.shape)


def image(numbers, one=1) -> tuple:
    """Height and width, where a sequence has but a width."""
    return numbers if len(numbers) == 2 else (one, *numbers)


def as_image(x):
    return x if x.ndim == 4 else x[:, :, None]


def flat(x):
    """Rows and columns in a row."""
    return x.reshape(*x.shape[:2], x.shape[2] * x.shape[3])


def convolved(x, weight, stride, padding, dilation, _=None):
    """Each image's windows, times the filters."""
    views = windows(padded(x, padding), weight.shape[2:], stride, dilation)
    filters = weight.reshape(len(weight), -1)
    result = np.empty_like(x, order="C", shape=(len(x), len(weight), *views.shape[4:]))
    for few in portions(views):
        np.matmul(filters, columns(views[few]), out=flat(result)[few])
    return result


def transposed_result(x, weight, stride, padding, dilation, more):
    """Each number of `x`, times a filter, in its window of the result."""
    sizes = zip(x.shape[2:], weight.shape[2:], stride, padding, dilation, more, strict=True)
    places = [(n - 1) * step + (k - 1) * d + 1 - 2 * pad + e for n, k, step, pad, d, e in sizes]
    return image_gradient(x, (len(x), weight.shape[1], *places), weight, stride, padding, dilation)


def weight_gradient(slopes, x, weight, stride, padding, dilation):
    views = windows(padded(x, padding), weight.shape[2:], stride, dilation)
    total, slopes = np.zeros_like(weight).reshape(len(weight), -1), flat(slopes)
    for few in portions(views):
        total += (slopes[few] @ columns(views[few]).swapaxes(1, 2)).sum(0)
    return total


def image_gradient(slopes, sizes, weight, stride, padding, dilation):
    """Each window's gradient goes back to where the window was; where they overlap, add."""
    (n, c, height, width), (top, left), slopes = sizes, padding, flat(slopes)
    result = np.zeros_like(weight, shape=(n, c, height + 2 * top, width + 2 * left))
    views = windows(result, weight.shape[2:], stride, dilation)
    filters = weight.reshape(len(weight), -1)
    for few in portions(views):
        pieces = (filters.T @ slopes[few]).reshape(views[few].shape)
        for i, j in np.ndindex(*weight.shape[2:]):
            views[few, :, i, j] += pieces[:, :, i, j]
    inner = result[:, :, top : top + height, left : left + width]
    return inner.copy() if top or left else inner  # the frame is not to live on in `.grad`


def padded(x, padding):
    """`x` with a frame of zeros."""
    top, left = padding
    return np.pad(x, ((0, 0), (0, 0), (top, top), (left, left))) if top or left else x


def windows(x, size, stride, dilation):
    """Every window of each image: (n, channels, *size, rows, columns), a view of `x`."""
    steps, lengths = x.strides, x.shape
    sizes = zip(lengths[2:], size, stride, dilation, strict=True)
    places = [(n - (k - 1) * d - 1) // step + 1 for n, k, step, d in sizes]
    jumps, within = (
        [a * b for a, b in zip(by, steps[2:], strict=True)] for by in (stride, dilation)
    )
    shape, strides = (*lengths[:2], *size, *places), (*steps[:2], *within, *jumps)
    return arrays.strided(x, shape, strides)


def columns(views):
    """One column per window: (n, channels * height * width of a window, windows)."""
    n, c, height, width, rows, across = views.shape
    return views.reshape(n, c * height * width, rows * across)


def portions(views):
    """Slices of the batch whose columns fit into CACHE."""
    size = max(1, CACHE * len(views) // max(views.nbytes, 1))
    return [slice(start, start + size) for start in range(0, len(views), size)]
