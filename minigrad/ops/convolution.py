"""A convolution is a matrix product: each window of the image, laid out as a column."""

from __future__ import annotations

import numpy as np

from minigrad.ops.op import Op


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
        result = weight.reshape(len(weight), -1) @ columns(views)
        if bias is not None:
            result += bias[:, None]
        return result.reshape(len(x), len(weight), *views.shape[4:])

    def backward(node, grad, x, weight):
        slopes = grad.reshape(*grad.shape[:2], -1)
        for_x, for_weight, for_bias = node.needs_input_grad
        return (
            node.of_image(slopes, x, weight, grad.shape[2:]) if for_x else None,
            node.of_weight(slopes, x, weight) if for_weight else None,
            grad.sum((0, 2, 3)) if for_bias else None,
        )

    def of_weight(node, slopes, x, weight):
        stride, padding = node.arguments[:2]
        seen = columns(windows(padded(x, padding), weight.shape[2:], stride))
        return (slopes @ seen.swapaxes(1, 2)).sum(0).reshape(weight.shape)

    def of_image(node, slopes, x, weight, places):
        """Each window's gradient goes back to where the window was; where they overlap, add."""
        stride, (top, left) = node.arguments[:2]
        pieces = weight.reshape(len(weight), -1).T @ slopes
        pieces = pieces.reshape(len(x), *weight.shape[1:], *places)
        n, c, height, width = x.shape
        result = np.zeros_like(x, shape=(n, c, height + 2 * top, width + 2 * left))
        views = windows(result, weight.shape[2:], stride)
        for i, j in np.ndindex(*weight.shape[2:]):
            views[:, :, i, j] += pieces[:, :, i, j]
        inner = result[:, :, top : top + height, left : left + width]
        return np.ascontiguousarray(inner)  # the frame's bytes are not to live on in `.grad`


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
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def columns(views):
    """One column per window: (n, channels * height * width of a window, windows)."""
    n, c, height, width, rows, across = views.shape
    return views.reshape(n, c * height * width, rows * across)
