"""An image in another size: along each axis a product with a matrix, a row per new place."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.op import Op


def nearest(n, places, step):
    """Rows with a 1 at the old place that a new one takes its number from."""
    taken = np.minimum(np.floor(np.arange(places) * np.float32(step)).astype(int), n - 1)
    return np.eye(n)[taken]


def between(n, places, step, corners):
    """Rows that mix the two old places around a new one; with `corners` the ends stay ends."""
    new = np.arange(places)
    at = new * step if corners else np.maximum((new + 0.5) * step - 0.5, 0)
    low = np.minimum(at.astype(int), n - 1)
    share = (at - low)[:, None]
    return (1 - share) * np.eye(n)[low] + share * np.eye(n)[np.minimum(low + 1, n - 1)]


class _Resized(Op):
    """A linear function of the image: it saves nothing."""

    sized = True
    matrices: Any  # of (sizes of the image, *arguments): for rows and for columns

    @classmethod
    def mixed(cls, x, sizes, arguments):
        """The image by the matrices of both axes, and back by the transposed ones."""
        down, across = (m.astype(x.dtype) for m in cls.matrices(sizes, *arguments))
        return down @ x @ across.T

    def backward(node, grad):
        down, across = (m.astype(grad.dtype) for m in node.matrices(node.sizes, *node.arguments))
        return down.T @ grad @ across


class UpsampleNearest2DBackward0(_Resized):
    """Each number of the image, repeated."""

    argument_names = ("output_size", "scales_h", "scales_w")

    @staticmethod
    def forward(x, *arguments):
        return UpsampleNearest2DBackward0.mixed(x, x.shape, arguments)

    @staticmethod
    def matrices(sizes, output_size, *scales):
        found = []
        for n, places, scale in zip(sizes[2:], output_size, scales, strict=True):
            found.append(nearest(n, places, 1 / scale if scale else n / places))
        return found


class UpsampleBilinear2DBackward0(_Resized):
    """Means of the four numbers around each new place."""

    argument_names = ("output_size", "align_corners", "scales_h", "scales_w")

    @staticmethod
    def forward(x, *arguments):
        return UpsampleBilinear2DBackward0.mixed(x, x.shape, arguments)

    @staticmethod
    def matrices(sizes, output_size, corners, *scales):
        found = []
        for n, places, scale in zip(sizes[2:], output_size, scales, strict=True):
            step = 1 / scale if scale else n / places
            step = (n - 1) / max(places - 1, 1) if corners else step
            found.append(between(n, places, step, corners))
        return found
