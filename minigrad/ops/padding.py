"""A frame of one number around a tensor, or a tensor without its margins."""

from __future__ import annotations

import numpy as np

from minigrad.core.words import expected
from minigrad.ops.layout import copied
from minigrad.ops.numbers import a_float, for_filling
from minigrad.ops.shapes import Shown, lengths, whole

ODD = "Padding length must be divisible by 2"
TOO_MANY = (
    "Padding length should be less than or equal to two times the input dimension but got padding "
    "length {} and input of dimension {}"
)
MODES = "reflect", "replicate", "circular"
OTHER_MODE = (
    "minigrad's pad knows mode 'constant' alone: to repeat what stands at the edges, index with "
    "their places, as in x[..., [1, 0, 1, 2]]"
)


class ConstantPadNdBackward0(Shown):
    """pad saves nothing: the gradient is what stands inside of the frame."""

    argument_names = ("pad", "")

    @staticmethod
    def forward(x, pad, value):
        before, after = sides(x.ndim, pad)
        inside = x[tuple(cut(n, -a, -b) for n, a, b in zip(x.shape, before, after, strict=True))]
        if not any(n > 0 for n in pad):
            return copied(inside, inside.dtype)
        shape = [sum(lengths) for lengths in zip(before, x.shape, after, strict=True)]
        result = np.empty_like(x, order="C", shape=shape)
        result[...] = value
        places = [cut(n, a, b) for n, a, b in zip(shape, before, after, strict=True)]
        result[tuple(places)] = inside
        return result

    def backward(node, grad):
        return ConstantPadNdBackward0.forward(grad, negated(node.arguments[0]), 0)


def negated(pad) -> tuple:
    return tuple(-n for n in pad)


def sides(axes: int, pad) -> tuple:
    """What comes before and after along each axis, of pairs that begin with the last axis."""
    pairs = [*zip(pad[::2], pad[1::2], strict=True)]
    pairs += [(0, 0)] * (axes - len(pairs))
    return tuple(zip(*pairs[::-1], strict=True)) or ((), ())


def cut(length: int, before: int, after: int) -> slice:
    """Without so many at each end; a negative number cuts nothing."""
    return slice(max(before, 0), max(length - max(after, 0), max(before, 0)))


def framed(x, pad, value):
    """`x` with `value` around it."""
    count = 1
    for n, a, b in zip(x.shape, *sides(x.ndim, pad), strict=True):
        count *= n + a + b
        if n + min(a, 0) + min(b, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    number = a_float(value, "value", 4) if any(n > 0 for n in pad) else 0
    return ConstantPadNdBackward0.call(x, pad, for_filling(number, x._array.dtype, count))


def pad(x, pad, mode="constant", value=None):
    """`x` with pad[0] and pad[1] elements before and after along its last axis, pad[2] and pad[3]
    along the one before, and so on; negative numbers take elements away.
    """
    expected(pad, (tuple, list), "pad", "tuple of ints")
    pad = tuple(whole(n, "pad", "tuple of ints") for n in lengths(tuple(pad)))
    _check(x, pad, mode)
    if mode == "constant":
        return framed(x, pad, 0 if value is None else value)
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    raise NotImplementedError(OTHER_MODE)


def _check(x, pad, mode) -> None:
    expected(mode, str, "mode", "str")
    if mode not in ("constant", *MODES):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError(ODD)
    if len(pad) > 2 * x.ndim:
        raise RuntimeError(TOO_MANY.format(len(pad), x.ndim))
