"""bincount: how often each whole number stands in a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import add_at
from minigrad.core.op import Op
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages, reading
from minigrad.ops.remainders import not_derivable
from minigrad.ops.shapes import whole_like


def weighed(weights, numbers, size):
    """The sums of the weights by their numbers."""
    kind = weights.dtype if weights.dtype == np.float32 else np.dtype(np.float64)
    result = np.zeros_like(weights, shape=(size,), dtype=kind)
    add_at(result, numbers, weights.astype(kind))
    return result


Weighed: Any = not_derivable(
    "bincount", Op, forward=staticmethod(weighed), extras=("index",), argument_names=("",)
)


def _size(numbers, least) -> int:
    """How many places there are; no number may be negative."""
    if numbers.ndim != 1 or (numbers.size and numbers.min() < 0):
        text = "bincount only supports 1-d non-negative integral inputs."
        raise reading.seen(RuntimeError(text))
    return max(least, int(numbers.max()) + 1) if numbers.size else least


def bincount(x, weights=None, minlength=0):
    """How often each number from 0 on stands in `x`, or what its weights add up to."""
    minlength = whole_like(minlength, "minlength")
    if x._array.dtype.kind not in "iu":
        raise messages.not_implemented("bincount_cpu", x.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    size = through(_size, reading.read(x), minlength)
    if weights is None or not x._array.size:
        return x._new(weighed(np.ones_like(x._array), x._array, size).astype(np.int64))
    if weights.ndim != 1 or weights.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return Weighed.call(weights, x, size)


@attach
class Counting(Tensor):
    """Methods of Tensor."""

    bincount = bincount
