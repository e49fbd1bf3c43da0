"""unique: the numbers of a tensor, or its slices along an axis, each once and in order."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import messages, reading
from minigrad.ops.shapes import axis
from minigrad.ops.sorting import order


class _Unique(Op):
    """What is found once has no derivative: who asks for it is told."""

    argument_names = ("",)

    @staticmethod
    def forward(x, dim):
        rows = in_rows(x, dim)
        sorting, starts = grouped(rows)
        found = rows[sorting[starts]]
        if dim is None:
            return found
        moved = np.moveaxis(x, dim, 0).shape
        return np.moveaxis(found.reshape(len(found), *moved[1:]), 0, dim)

    def backward(node, grad):
        raise NotImplementedError(f"the derivative for '{node.symbol}' is not implemented.")


class Unique2Backward0(_Unique):
    """unique of all numbers."""

    symbol = "_unique2"


class UniqueDimBackward0(_Unique):
    """unique of the slices along an axis."""

    symbol = "unique_dim"


def in_rows(x, dim):
    """All numbers in a row, or each slice as a row."""
    if dim is None:
        return x.reshape(-1)
    x = np.moveaxis(x, dim, 0)
    return x.reshape(len(x), -1 if x.size else 0)


def grouped(rows):
    """An order in which equal ones stand together, and where in it a group starts."""
    sorting = order(rows, 0, False) if rows.ndim == 1 else by_columns(rows)
    differ = rows[sorting[1:]] != rows[sorting[:-1]]
    starts = np.ones_like(sorting, dtype=bool)
    starts[1:] = differ if rows.ndim == 1 else differ.any(1)
    return sorting, starts


def counted(rows, slices):
    """The number of each one's group, and how many there are in a group.

    Counts of slices lie where there is room for as many groups as slices, as PyTorch's do.
    """
    sorting, starts = grouped(rows)
    group = starts.cumsum() - 1
    inverse = np.empty_like(group)
    inverse[sorting] = group
    room = len(group) if slices else 0
    return inverse, np.bincount(group, minlength=room)[: int(starts.sum())]


def by_columns(rows):
    """The order of rows by their first number, of those alike by the second, and so on."""
    if not rows.size:
        return np.ones_like(rows, dtype=np.int64, shape=len(rows)).cumsum() - 1
    return np.lexsort(rows.transpose()[::-1])


def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """What there is, and if asked for which of it each element is, and how often there is each."""
    rule = Unique2Backward0 if dim is None else UniqueDimBackward0
    _bools(sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    dim = None if dim is None else _along(x, dim)
    result = rule.call(x, dim)
    reading.seen(result._array.size)
    if not (return_inverse or return_counts):
        return result
    inverse, counts = counted(in_rows(x._array, dim), dim is not None)
    inverse = inverse if dim is not None else inverse.reshape(x.shape)
    more = [inverse] * return_inverse + [counts] * return_counts
    return result, *map(x._new, more)


def _bools(**flags) -> None:
    for flag, value in flags.items():
        expected(value, bool, flag, "bool")


def _along(x, dim) -> int:
    """The axis, from the front; no other one may be empty."""
    if not x._array.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(dim))
    at = axis(x, dim)
    empty = x._array.shape.count(0)
    if empty > (x._array.shape[at] == 0):
        raise RuntimeError(messages.UNIQUE_OF_NOTHING[x._array.shape[at] == 0])
    return at


@attach
class Unique(Tensor):
    """Methods of Tensor."""

    unique = unique
