"""Means and variances of arrays, without the warnings that numpy has for too few elements."""

from __future__ import annotations

import math


def mean_of(x, where=None, keepdims=False):
    """x.mean(), of nothing NaN without numpy's warning."""
    if x.size:
        return x.mean(where, keepdims=keepdims)
    return x.sum(where, keepdims=keepdims) * x.dtype.type("nan")


def variance_of(x, where=None, keepdims=False, ddof: float = 0):
    """x.var(); of too few elements NaN or infinite without numpy's warning."""
    if not x.size:
        return mean_of(x, where, keepdims)
    count = x.size if where is None else math.prod(x.shape[i] for i in where)
    if count > ddof:
        return x.var(where, ddof=ddof, keepdims=keepdims)
    return x.var(where, keepdims=keepdims) / 0
