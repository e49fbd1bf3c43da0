"""Dropout as a function: its mask is drawn, and kept."""

from __future__ import annotations

import numpy as np

from minigrad.core import words
from minigrad.core.tensor import Tensor
from minigrad.core.words import expected
from minigrad.nn import checks
from minigrad.ops import generator


def dropout(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Zeros at random with probability `p`; the rest grows, so that the mean stays as it was.

    The mask is a float tensor, and the graph keeps it: as many bytes as `x`.
    """
    p = words.exact(p)  # of a layer, or of attention, which call it by no name of a program's
    checks.probability(p)
    expected(x, Tensor, "input", "Tensor")
    if not training or p == 0:
        return x
    times = x.mul_ if inplace else x.mul
    if p == 1:
        return times(x._new(np.zeros_like(x._array, shape=())))
    checks.real(x)
    stays = generator.drawn("random", x._array.shape, np.float32, x.device) >= p
    # It lies as `x` does, and so does the result; in order where elements of `x` share a place.
    mask = np.empty_like(x._array, order="C" if 0 in x._array.strides else "K")
    return times(x._new(np.divide(stays, 1 - p, out=mask, dtype=mask.dtype)))
