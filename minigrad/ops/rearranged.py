"""Copies in another order or several times: repeat, flip, roll."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import prod
from operator import mul

import numpy as np

from minigrad.core.arrays import added, in_order
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.ops import messages
from minigrad.ops.creation import sizes
from minigrad.ops.shapes import Shown, axes, filled, lengths, once, parsed, whole

# -- repeat --


def side_by_side(shape, times):
    """(the shape with an axis of length 1 before each, the same with the repeats in those)."""
    padded = (1,) * (len(times) - len(shape)) + shape
    single = [n for pair in zip(times, padded, strict=True) for n in (1, pair[1])]
    return single, [n for pair in zip(times, padded, strict=True) for n in pair]


class RepeatBackward0(Shown):
    """repeat saves nothing: the gradient of an element is the sum over its copies."""

    sized = True
    argument_names = ("repeats",)

    @staticmethod
    def forward(x, times):
        single, several = side_by_side(x.shape, times)
        shape = tuple(a * b for a, b in zip(several[::2], several[1::2], strict=True))
        result = np.empty_like(x, order="C", shape=shape)
        if result.size:
            result.reshape(several)[...] = x.reshape(single)
        return result

    def backward(node, grad):
        (times,) = node.arguments
        _, several = side_by_side(node.sizes, times)
        if not grad.size:
            new = len(times) - len(node.sizes)
            kept = zip(times[new:], node.sizes, strict=True)
            if 0 not in times:  # there may be fewer than none, to which nothing can be reshaped
                none = wrap(np.zeros_like(grad, shape=(0,)))
                filled(none, tuple(n for pair in kept for n in pair[pair[0] == 1 :]))
            return np.zeros_like(grad, shape=node.sizes)
        once = added(grad.reshape(several), tuple(range(0, len(several), 2)))
        return once.reshape(node.sizes)

    def peak(node, grad):
        """The sums over the new axes, one after the other, and then over the others at once."""
        (times,) = node.arguments
        new = len(times) - len(node.sizes)
        ends = [*accumulate(times[:new], mul), *[prod(times)] * (prod(times[new:]) > 1)]
        sums = [grad.nbytes // n for n in ends if grad.size]
        return max([a + b for a, b in pairwise(sums)], default=0)


def repeat(x, *times):
    """`x` so many times along each axis; more numbers than axes make new ones in front."""
    times = sizes(times, "repeats")
    if len(times) < x._array.ndim:
        raise RuntimeError(messages.REPEAT_DIMENSIONS)
    shape = (1,) * (len(times) - x._array.ndim) + x._array.shape
    wanted = [n * k for n, k in zip(shape, times, strict=True)]
    for n in wanted:
        if n < 0:
            raise RuntimeError(messages.NEGATIVE_LENGTH.format(n, wanted))
    return RepeatBackward0.call(x, times)


# -- flip and roll --


def flipped(x, dims):
    """A copy in the layout of `x`, or in order where its elements share places."""
    result = np.empty_like(x, order="C" if 0 in x.strides else "K")
    result[...] = np.flip(x, dims) if x.ndim else x
    return result


class FlipBackward0(Shown):
    """flip saves nothing."""

    argument_names = ("dims",)

    forward = flipped

    def backward(node, grad):
        return flipped(grad, *node.arguments)


class RollBackward0(Shown):
    """roll saves nothing."""

    argument_names = ("shifts", "dims")

    @staticmethod
    def forward(x, shifts, dims):
        if not x.size:  # whatever the dims are
            return x.copy("C")
        if not dims:
            return np.roll(in_order(x).reshape(-1), shifts[0]).reshape(x.shape)
        return in_order(np.roll(x, shifts, dims))

    def backward(node, grad):
        shifts, dims = node.arguments
        return node.forward(grad, tuple(-n for n in shifts), dims)


def flip(x, *dims):
    """The elements along these axes from last to first."""
    dims = sizes(dims, "dims")
    once(axes(x, dims, "dims"))
    return FlipBackward0.call(x, dims)


def _check_shifts(shifts, dims) -> None:
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}"
        )


def _wholes(shifts) -> tuple:
    """Those of a list, in which no tensor's truth value is one, or the one alone."""
    listed = isinstance(shifts, (tuple, list))
    found = lengths(tuple(shifts)) if listed else parsed((shifts,))
    return tuple(whole(n, "shifts", "tuple of ints") for n in found)


def roll(x, shifts, dims=()):
    """Each element `shifts` further along `dims`, what falls off at the end in front again."""
    shifts, dims = _wholes(shifts), () if dims is None else dims
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if not shifts:
        raise RuntimeError("`shifts` required")
    _check_shifts(shifts, dims)
    if dims and not x._array.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(dims[0]))
    if x._array.size:
        axes(x, dims, "dims")
    return RollBackward0.call(x, shifts, dims)


@attach
class Rearranged(Tensor):
    """Methods of Tensor."""

    def __reversed__(x):
        return x.flip(0) if x._array.ndim else x

    repeat, flip, roll = repeat, flip, roll
