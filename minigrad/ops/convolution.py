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
    """conv2d saves image and weight, whoever wants a gradient; the columns are made again."""

    inputs = ("input", "weight", "bias")
    saves = {"input": "input weight bias", "weight": "input weight bias"}
    argument_names = (
        "stride", "padding", "bias_sym_sizes_opt", "dilation", "groups", "output_padding",
        "transposed",
    )  # fmt: skip

    @staticmethod
    def forward(x, weight, bias, stride, padding, *rest):
        views = windows(padded(x, padding), weight.shape[2:], stride)
        filters = weight.reshape(len(weight), -1)
        result = np.empty_like(x, order="C", shape=(len(x), len(weight), *views.shape[4:]))
        flat = result.reshape(*result.shape[:2], views.shape[4] * views.shape[5])
        for few in portions(views):
            np.matmul(filters, columns(views[few]), out=flat[few])
        if bias is not None:
            flat += bias[:, None]
        return result

    def backward(node, grad, x, weight):
        return node.gradients(node.needs_input_grad, grad, x, weight)

    def gradients(node, wanted, grad, x, weight) -> tuple:
        slopes = grad.reshape(*grad.shape[:2], grad.shape[2] * grad.shape[3])
        for_x, for_weight, for_bias = wanted
        return (
            node.of_image(slopes, x, weight) if for_x else None,
            node.of_weight(slopes, x, weight) if for_weight else None,
            grad.sum((0, 2, 3)) if for_bias else None,
        )

    def of_weight(node, slopes, x, weight):
        stride, padding = node.arguments[:2]
        views = windows(padded(x, padding), weight.shape[2:], stride)
        total = np.zeros_like(weight).reshape(len(weight), -1)
        for few in portions(views):
            total += (slopes[few] @ columns(views[few]).swapaxes(1, 2)).sum(0)
        return total.reshape(weight.shape)

    def of_image(node, slopes, x, weight):
        """Each window's gradient goes back to where the window was; where they overlap, add."""
        stride, (top, left) = node.arguments[:2]
        n, c, height, width = x.shape
        result = np.zeros_like(x, shape=(n, c, height + 2 * top, width + 2 * left))
        views, filters = windows(result, weight.shape[2:], stride), weight.reshape(len(weight), -1)
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


def windows(x, size, stride):
    """Every window of each image: (n, channels, *size, rows, columns), a view of `x`."""
    steps, lengths = x.strides, x.shape
    places = [(n - k) // step + 1 for n, k, step in zip(lengths[2:], size, stride, strict=True)]
    jumps = [step * of for step, of in zip(stride, steps[2:], strict=True)]
    shape, strides = (*lengths[:2], *size, *places), (*steps, *jumps)
    return arrays.strided(x, shape, strides)


def columns(views):
    """One column per window: (n, channels * height * width of a window, windows)."""
    n, c, height, width, rows, across = views.shape
    return views.reshape(n, c * height * width, rows * across)


def portions(views):
    """Slices of the batch whose columns fit into CACHE."""
    size = max(1, CACHE * len(views) // max(views.nbytes, 1))
    return [slice(start, start + size) for start in range(0, len(views), size)]
