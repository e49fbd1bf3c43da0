"""Views: other tensors on the same bytes. They cost nothing, and they keep the bytes alive."""

from __future__ import annotations

import sys

import numpy as np

from minigrad.core import messages
from minigrad.core.modes import state
from minigrad.core.node import edge
from minigrad.core.record import become_view, record, unary, view
from minigrad.core.shapes import axes, axis, expansion, filled
from minigrad.ops import shape as ops
from minigrad.ops.elementwise import CloneBackward0


def viewable(array, shape) -> bool:
    """True if `array` can be seen under `shape` without a copy."""
    try:
        np.reshape(array, shape, copy=False)
    except ValueError:
        return False
    return True


def as_shape(x, shape):
    """view(): another shape on the same bytes, or an error."""
    shape = filled(shape, x._array.size)
    if not viewable(x._array, shape):
        raise RuntimeError(messages.NOT_COMPATIBLE)
    return view(ops.ViewBackward0, x, shape)


def reshape(x, shape):
    """A view if the bytes allow it, else a copy."""
    shape = filled(shape, x._array.size)
    if viewable(x._array, shape):
        return view(ops.ViewBackward0, x, shape)
    copy = unary(CloneBackward0, x, "C")
    return rearranged(ops.UnsafeViewBackward0, copy, shape)


def rearranged(op, x, *arguments):
    """A view of a tensor that nobody else has, so that nobody need call it a view."""
    out = view(op, x, *arguments)
    out._base, out._view_kind = None, ""
    return out


def flatten(x, start, end):
    """The axes from `start` to `end` as one; `x` itself if there is nothing to do."""
    start, end = axis(x, start), axis(x, end)
    shape = x._array.shape
    if x._array.ndim and start == end:
        return x
    return reshape(x, (*shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :]))


def squeeze(x, dim=None):
    """Without one axis of length 1, or without all of them."""
    if dim is None:
        return view(ops.SqueezeBackward0, x)
    return view(ops.SqueezeBackward1, x, axis(x, dim))


def permute(x, dims):
    """The axes in another order."""
    if len(set(dims)) != len(dims) or len(dims) != x._array.ndim:
        raise messages.permute_error(x, dims)
    return view(ops.PermuteBackward0, x, axes(x, dims))


def transpose(x, dim0, dim1):
    """Two axes exchanged."""
    return view(ops.TransposeBackward0, x, axis(x, dim0), axis(x, dim1))


def t(x):
    """The transposed matrix; a vector or a number stays as it is."""
    if x._array.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {x._array.ndim}D"
        )
    return view(ops.TBackward0, x)


def expand(x, shape):
    """Repeated along axes of length 1, without a copy."""
    return view(ops.ExpandBackward0, x, expansion(x._array.shape, shape))


def select(x, dim, index):
    """x[index] along axis `dim`, which goes away."""
    dim = axis(x, dim)
    n = x._array.shape[dim] if x._array.ndim else 0
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {n}")
    return view(ops.SelectBackward0, x, dim, index)


def cut(x, dim, part: slice):
    """x[start:stop:step] along axis `dim`."""
    if part.step is not None and part.step <= 0:
        raise ValueError("step must be greater than zero")
    dim = axis(x, dim)
    end = sys.maxsize if part.stop is None else part.stop
    return view(ops.SliceBackward0, x, dim, part.start or 0, end, part.step or 1)


def narrow(x, dim, start, length):
    """`length` slices along `dim`, from `start` on."""
    n = x._array.shape[axis(x, dim)]
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return cut(x, dim, slice(start, start + length))


def chunk(x, chunks, dim):
    """At most `chunks` pieces of equal length along `dim`, the last one maybe shorter."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return split(x, -(-x._array.shape[axis(x, dim)] // chunks), dim)


def split(x, size, dim):
    """Pieces of length `size` along `dim`, the last one maybe shorter."""
    dim = axis(x, dim)
    n = x._array.shape[dim]
    here = (slice(None),) * dim
    pieces = [x._array[(*here, slice(i, i + size))] for i in range(0, max(n, 1), size)]
    return _several(ops.SplitBackward0, x, pieces, (size, dim))


def unbind(x, dim):
    """All slices along `dim`, which goes away."""
    dim = axis(x, dim)
    here = (slice(None),) * dim
    pieces = [x._array[(*here, i, ...)] for i in range(x._array.shape[dim])]
    return _several(ops.UnbindBackward0, x, pieces, (dim,))


def iterate(x):
    """The slices along the first axis, one after the other."""
    if not x._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(x, 0))


def _several(op, x, arrays, arguments):
    """Several views that share one node; each knows which output it is."""
    outs = tuple(x._share(array) for array in arrays)
    for out in outs:
        become_view(out, x)
        out._view_kind = out._view_kind or "several"
    if x._requires_grad and state.grad_enabled:
        node = record(op, outs[0], (x,), (edge(x),), (), arguments)
        node.num_outputs, node.shapes = len(outs), [a.shape for a in arrays]
        for i, out in enumerate(outs):
            out._edge = node, i
    return outs
