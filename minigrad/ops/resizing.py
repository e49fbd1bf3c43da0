"""Images in another size: each new number is an old one, or a mean of the four around it.

PyTorch's CPU has two kernels for each. Which old place a new one takes is rounded otherwise by the
one for large images; that for small ones computes no place where none has to be. Both are here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import add_at, in_order
from minigrad.core.backend import beside
from minigrad.core.op import Op
from minigrad.core.stand_ins import StandIn
from minigrad.ops.arithmetic import like
from minigrad.ops.halves import wide

SMALL = 128  # rows and columns of the result together, at most


def step(n, places, scale, kind):
    """How far it is from one new place to the next, in old ones."""
    return kind(1 / scale) if scale else kind(n) / kind(places)


def nearest(n, places, scale, kind, small):
    """The old place of each new one."""
    new = np.arange(places)
    if small and places in (n, 2 * n):
        return new // (places // n)
    kind = np.float32 if small else kind
    at = np.floor((new.astype(kind) * step(n, places, scale, kind)).astype(np.float32))
    return np.minimum(at.astype(np.int64), n - 1)


def between(n, places, scale, kind, corners):
    """Two old places of each new one, and how much it takes of them; corners: ends stay ends."""
    new = np.arange(places)
    if places == n:
        return (new, np.ones_like(new, kind)), (new, np.zeros_like(new, kind))
    if corners:
        at = new.astype(kind) * (kind(n - 1) / kind(places - 1) if places > 1 else kind(0))
    else:  # of float32 rounded once, as where one instruction multiplies and adds
        at = float(step(n, places, scale, kind)) * (new + 0.5) - 0.5
        at = np.maximum(at.astype(kind), kind(0))
    low = np.minimum(at.astype(np.int64), n - 1)
    share = np.clip(at - low.astype(kind), 0, 1).astype(kind)
    return (low, 1 - share), (low + (low < n - 1), share)


def on_its_device(array, x):
    """The array beside `x`, or beside what `x` stands for."""
    return beside(array, x.array if isinstance(x, StandIn) else x)


class _Resized(Op):
    """A linear function of the image: it saves nothing."""

    sized = True
    taken: Any  # of (an array, sizes of the image, *arguments): (rows, columns, weights) in turn

    def backward(node, grad):
        result = np.zeros_like(wide(grad), shape=node.sizes)
        for rows, columns, weights in node.taken(grad, node.sizes, *node.arguments):
            at = slice(None), slice(None), rows, columns
            add_at(result, at, wide(grad) if weights is None else wide(grad) * weights)
        return like(result, grad)


class UpsampleNearest2DBackward0(_Resized):
    """Each number of the image, several times or not at all."""

    argument_names = ("output_size", "scales_h", "scales_w")

    @staticmethod
    def forward(x, *arguments):
        small = sum(arguments[0]) <= SMALL
        rule = UpsampleNearest2DBackward0
        ((rows, columns, _),) = rule.taken(x, x.shape, *arguments, small=small)
        return in_order(x[:, :, rows, columns])

    @staticmethod
    def taken(x, sizes, output_size, *scales, small=True):
        kind = wide(x[:0]).dtype.type
        each = zip(sizes[2:], output_size, scales, strict=True)
        rows, columns = (on_its_device(nearest(*one, kind, small), x) for one in each)
        return [(rows[:, None], columns, None)]


class UpsampleBilinear2DBackward0(_Resized):
    """Means of the four numbers around each new place."""

    argument_names = ("output_size", "align_corners", "scales_h", "scales_w")

    @staticmethod
    def forward(x, *arguments):
        result = 0
        for rows, columns, weights in UpsampleBilinear2DBackward0.taken(x, x.shape, *arguments):
            result = wide(x[:, :, rows, columns]) * weights + result
        return in_order(like(result, x))

    @staticmethod
    def taken(x, sizes, output_size, corners, *scales):
        kind = wide(x[:0]).dtype.type
        each = zip(sizes[2:], output_size, scales, strict=True)
        down, across = (between(*one, kind, corners) for one in each)
        for rows, down_share in down:
            for columns, share in across:
                made = rows[:, None], columns, down_share[:, None] * share
                yield [on_its_device(array, x) for array in made]
