"""sort, topk and argsort: the order is found outside the graph; the node keeps the indices."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import return_types
from minigrad.ops.shapes import Shown, axis, flag, whole_like


class _Ordered(Shown):
    """The elements at some indices along an axis; backward puts each gradient back there."""

    extras = ("indices",)
    saves = {"indices": "self"}
    sized = True
    argument_names = ("dim",)

    @staticmethod
    def forward(x, indices, dim):
        result = np.empty_like(indices, dtype=x.dtype)  # laid out as they are
        result[...] = np.take_along_axis(x, indices, dim) if x.ndim else x
        return result

    def backward(node, grad, indices):
        if not grad.ndim:
            return grad
        result = np.zeros_like(grad, order="C", shape=node.sizes)
        np.put_along_axis(result, indices, grad, *node.arguments)
        return result


class SortBackward0(_Ordered):
    """sort saves the indices: 8 bytes each."""


class SortBackward1(_Ordered):
    """sort(stable=...) saves the same."""


class TopkBackward0(_Ordered):
    """topk saves the indices."""


# -- methods --


def order(x, dim, descending):
    """The indices that sort an array, equal elements in their order; nan counts as the largest."""
    if not x.ndim:
        return np.zeros_like(x, dtype=np.int64)
    if not descending:
        return np.argsort(x, dim, kind="stable")
    backward = np.argsort(np.flip(x, dim), dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(backward, dim)


def sort(x, dim=-1, descending=False, *, stable=None):
    """(values, indices) in order along `dim`; always stable here."""
    axis(x, dim)
    indices = np.empty_like(x._array, dtype=np.int64)  # PyTorch keeps the input's layout
    indices[...] = order(x._array, dim, flag(descending, "descending"))
    found = x._new(indices)
    rule = SortBackward0 if stable is None else SortBackward1
    return return_types.sort(rule.call(x, found, dim), found)


def argsort(x, dim=-1, descending=False, *, stable=False):
    """The indices that would sort `x` along `dim`."""
    return sort(x, dim, descending).indices


def topk(x, k, dim=-1, largest=True, sorted=True):
    """(values, indices) of the k largest, or smallest, along `dim`."""
    at = axis(x, dim)
    n, k = x._array.shape[at] if x._array.ndim else 1, whole_like(k, "k")
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if x._array.dtype == bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    found = x._new(in_order(first(order(x._array, dim, flag(largest, "largest")), k, at)))
    return return_types.topk(TopkBackward0.call(x, found, dim), found)


def first(indices, k, at):
    """A copy of the first k along an axis."""
    return indices[(slice(None),) * at + (slice(k),)].copy("C") if indices.ndim else indices


@attach
class Sorting(Tensor):
    """Methods of Tensor."""

    sort, argsort, topk = sort, argsort, topk
