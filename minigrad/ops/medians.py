"""median: the lower of the two in the middle, of all elements or along an axis."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import bool_
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages, return_types
from minigrad.ops.reduce import _Extremum, _ExtremumAlong, check_not_empty
from minigrad.ops.shapes import ALL, axis, flag


class MedianBackward0(_Extremum):
    """median() saves its input and its result."""

    @staticmethod
    def forward(x):
        flat = x.reshape(-1)
        order = np.argsort(flat, kind="stable")[(x.size - 1) // 2 :][:1]
        middle = np.take(flat, order).sum(dtype=x.dtype)  # of none, too
        gone = (flat != flat).any() if x.size else True
        return np.where(gone, np.nan, middle).astype(x.dtype)


class MedianBackward1(_ExtremumAlong):
    """median(dim) saves the indices."""


def places_of(array, dim, keepdim):
    """The places of the medians: equal ones keep their order; the first nan if there is one."""
    if not array.ndim:
        return np.zeros_like(array, np.int64)
    order = np.argsort(array, dim, kind="stable")
    found = np.take(order, [(array.shape[dim] - 1) // 2], dim)
    gone = array != array
    found = np.where(gone.any(dim, keepdims=True), gone.argmax(dim, keepdims=True), found)
    return found if keepdim else found.squeeze(dim)


def of_all(x, keepdim):
    if keepdim is not None:
        raise TypeError('median() missing 1 required positional arguments: "dim"')
    if x._array.dtype == bool and x._array.size:
        raise messages.not_implemented("median_cpu", bool_)
    return MedianBackward0.call(x)


def median(x, dim=ALL, keepdim=None):
    """The median of all, or (values, indices) along `dim`; of an even number the lower one."""
    if dim is ALL:
        return of_all(x, keepdim)
    dim, keepdim = axis(x, dim), flag(keepdim)
    check_not_empty(x, dim, "median")
    if x._array.dtype == bool:
        raise messages.not_implemented("median_out", bool_)
    indices = x._new(places_of(x._array, dim, keepdim))
    return return_types.median(MedianBackward1.call(x, indices, dim, keepdim), indices)


@attach
class Medians(Tensor):
    """Methods of Tensor."""

    median = median
