"""How far the rows of two tensors are apart, pair by pair."""

from __future__ import annotations

from minigrad.core.dtypes import BY_NUMPY
from minigrad.ops import pairs
from minigrad.ops.checks import together


def pairwise_distance(x1, x2, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
    """The norm of x1 - x2 + eps along the last axis; eps keeps its slope finite."""
    axis = len(together(x1.shape, x2.shape)) - 1
    apart = pairs.AddBackward1.call(x1 - x2, eps)
    dtype = BY_NUMPY[apart._array.dtype].numpy
    return pairs.NormBackward1.call(apart, float(p), (axis,), keepdim, dtype)
