"""Means and variances of arrays, without the warnings that numpy has for too few elements."""

from __future__ import annotations

import math

from minigrad.core.arrays import added, adding


def mean_of(x, where=None, keepdims=False):
    """x.mean(), of nothing NaN without numpy's warning."""
    if not x.size:
        return x.sum(where, keepdims=keepdims) * math.nan
    wide = adding(x, where)
    if wide is None:
        return x.mean(where, keepdims=keepdims)
    return x.mean(where, wide, keepdims=keepdims).astype(x.dtype)


def variance_of(x, where=None, keepdims=False, ddof: float = 0):
    """x.var(); of too few elements NaN or infinite without numpy's warning."""
    if not x.size:
        return mean_of(x, where, keepdims)
    far = x - mean_of(x, where, keepdims=True)
    far *= far
    count = x.size if where is None else math.prod(x.shape[i] for i in where)
    return added(far, where, keepdims) / x.dtype.type(max(count - ddof, 0))
