"""repeat_interleave: each element several times, one after the other."""

from __future__ import annotations

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.ops import messages
from minigrad.ops.copies import CloneBackward0
from minigrad.ops.reading import read
from minigrad.ops.shapes import ALL, axis


def interleaved(x, repeats, dim=None, *, output_size=None):
    """Each element along `dim`, or of all in a row, so many times, or as many as a tensor says."""
    if isinstance(repeats, Tensor):
        return selected(x, repeats, dim, output_size)
    if isinstance(repeats, bool) or not isinstance(repeats, (int, np.integer)):
        raise TypeError("repeat_interleave() received an invalid combination of arguments")
    dim, x = (0, x.flatten()) if dim is None else (axis(x, dim), x)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    return repeated(x.unsqueeze(dim + 1), int(repeats), dim, output_size)


def repeated(x, repeats, dim, output_size):
    """The axis after `dim`, of length 1, that many times, and both axes as one."""
    shape = (*x.shape[: dim + 1], repeats, *x.shape[dim + 2 :])
    x, size = x.expand(shape), shape[dim] * shape[dim + 1]
    if output_size not in (None, size):
        raise RuntimeError(messages.INTERLEAVED_SIZE.format(size, output_size))
    return CloneBackward0.call(x, "C").flatten(dim, dim + 1)


def selected(x, repeats, dim, output_size):
    """Each element along `dim` as many times as the tensor says: chosen by its place."""
    dim, x = (0, x.flatten()) if dim is None else (dim, x)
    if repeats._array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    length = x.size(dim)
    if repeats._array.size == 1:
        repeats = repeats.detach().reshape(1).expand(length)
    elif len(repeats) != length:
        raise RuntimeError(messages.INTERLEAVED_ALONG.format(len(repeats), dim, length))
    return x.index_select(dim, places(repeats, output_size=output_size))


def places(repeats, *, output_size=None):
    """The place of each of these numbers, as many times as the number says."""
    dtype = repeats._array.dtype
    if dtype not in (np.int64, np.int32):
        raise messages.not_implemented("repeat_interleave_cpu", BY_NUMPY[dtype])
    if repeats._array.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    counts = checked(np.array(read(repeats).tolist(), np.int64), output_size)
    found = np.repeat(np.arange(counts.size, dtype=dtype), counts)
    return wrap(backend.beside(found, repeats._array))


def checked(counts, output_size):
    """Whether they add up to the size that was told, and none is negative."""
    if output_size not in (None, counts.sum()) and counts.size:
        raise RuntimeError("allocated size does not match required size")
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    return counts


def repeat_interleave(x, repeats=ALL, dim=ALL, *, output_size=None):
    """As the method; of whole numbers alone, the place of each, that many times."""
    if repeats is ALL and dim is ALL:
        return places(x, output_size=output_size)
    return interleaved(x, repeats, None if dim is ALL else dim, output_size=output_size)


@attach
class Interleaved(Tensor):
    """A method of Tensor."""

    repeat_interleave = interleaved
