"""Views: other tensors on the same bytes. They cost nothing, and they keep the bytes alive."""

from __future__ import annotations

import sys
from itertools import accumulate, pairwise

import numpy as np

from minigrad.core import observer
from minigrad.core.messages import kernel_type
from minigrad.core.modes import state
from minigrad.core.node import NOWHERE
from minigrad.core.op import become_view, record
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import ask_for_nodes, expected
from minigrad.ops import messages
from minigrad.ops import shape as ops
from minigrad.ops.copies import CloneBackward0
from minigrad.ops.creation import sizes
from minigrad.ops.shapes import (
    ALL,
    all_whole,
    axes,
    axis,
    expansion,
    filled,
    is_whole,
    no_shape,
    once,
    standing_for,
    whole,
    whole_like,
)
from minigrad.ops.versions import seen_apart

NO_SIZES = "unflatten: sizes must be non-empty"
INVALID = "is invalid for input of size"
UNEXPECTED = "unflatten got an unexpected error:\n"
NO_PRODUCT = (
    "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input tensor"
)


def viewable(array, shape) -> bool:
    """True if `array` can be seen under `shape` without a copy."""
    try:
        np.reshape(array, shape, copy=False)
    except ValueError:
        return False
    return True


def as_shape(x, shape):
    """view(): another shape on the same bytes, or an error."""
    shape = filled(x, shape)
    if not viewable(x._array, shape):
        raise no_shape(x, messages.NOT_COMPATIBLE)
    return ops.ViewBackward0.call(x, shape)


def reshape(x, shape):
    """A view if the bytes allow it, else a copy."""
    shape = filled(x, shape)
    if x._array.flags.c_contiguous:
        return ops.ViewBackward0.call(x, shape)
    if viewable(x._array, shape):
        return ops.ReshapeAliasBackward0.call(x, shape)
    copy = CloneBackward0.call(x, "C")
    return rearranged(ops.UnsafeViewBackward0, copy, shape)


def rearranged(op, x, *arguments):
    """A view of a tensor that nobody else has, so that nobody need call it a view."""
    out = op.call(x, *arguments)
    out._base, out._view_kind = None, ""
    out._edge, out._was = out._was, NOWHERE
    return out


def flatten(x, start_dim=0, end_dim=-1):
    """The axes from the first to the second as one; `x` itself if there is nothing to do."""
    start, end = axis(x, start_dim), axis(x, end_dim)
    shape = x._array.shape
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if x._array.ndim and start == end:
        return x
    return reshape(x, (*shape[:start], int(np.prod(shape[start : end + 1])), *shape[end + 1 :]))


def unflatten(x, dim, sizes):
    """An axis as several, of which one may be -1: what is left for it."""
    shape, n = x._array.shape, axis(x, dim, name="dim")
    sizes = all_whole(expected(sizes, (tuple, list), "sizes", "tuple of ints"), "sizes")
    if not sizes:
        raise RuntimeError(NO_SIZES)
    if not shape:
        raise RuntimeError(f"{UNEXPECTED}Dimension specified as 0 but tensor has no dimensions")
    try:
        pieces = filled(x, sizes, shape[n])
    except RuntimeError as error:
        told = NO_PRODUCT.format([*sizes], n, shape[n]) if INVALID in str(error) else ""
        raise RuntimeError(told or f"{UNEXPECTED}{error}") from None
    return as_shape(x, (*shape[:n], *pieces, *shape[n + 1 :]))


def squeeze(x, dim=ALL, *more):
    """Without one axis of length 1, or several, or without all of them."""
    if dim is ALL:
        return ops.SqueezeBackward0.call(x)
    dim = (dim, *more) if more else dim
    if dim is None:
        raise TypeError("squeeze() received an invalid combination of arguments: dim=None")
    if not is_whole(dim) and isinstance(dim, (tuple, list, Tensor, np.ndarray)):
        return ops.SqueezeBackward2.call(x, once(axes(x, dim)))
    return ops.SqueezeBackward1.call(x, axis(x, dim))


def swapaxes(x, axis0, axis1):
    """transpose, by NumPy's names."""
    return transpose(x, axis0, axis1)


def permute(x, dims):
    """The axes in another order."""
    if len(set(dims)) != len(dims) or len(dims) != x._array.ndim:
        raise messages.permute_error(x, [whole(dim, "dims", "tuple of ints") for dim in dims])
    return ops.PermuteBackward0.call(x, axes(x, dims, "dims"))


def transpose(x, dim0, dim1):
    """Two axes exchanged."""
    try:
        return ops.TransposeBackward0.call(x, axis(x, dim0), axis(x, dim1))
    except IndexError:
        ask_for_nodes(x)
        raise


def t(x):
    """The transposed matrix; a vector or a number stays as it is."""
    if x._array.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {x._array.ndim}D"
        )
    return ops.TBackward0.call(x)


def expand(x, shape):
    """Repeated along axes of length 1, without a copy."""
    wanted = expansion(x._array.shape, all_whole(shape, "size"), kernel_type(x))
    return ops.ExpandBackward0.call(x, wanted)


def select(x, dim, index):
    """x[index] along axis `dim`, which goes away."""
    if not x._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = axis(x, dim)
    n = x._array.shape[dim]
    if not -n <= whole_like(index, "index") < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(x.shape)} at "
            f"dimension {dim}"
        )
    return ops.SelectBackward0.call(x, dim, index)


def check_step(part: slice) -> None:
    """A slice goes forwards."""
    if part.step is not None and part.step <= 0:
        raise ValueError(
            "step must be greater than zero" if part.step else "slice step cannot be zero"
        )


def check_sliced(x) -> None:
    """A tensor of no axes has none to be sliced."""
    if not x._array.ndim:
        ask_for_nodes(x)
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")


def cut(x, dim, part: slice):
    """x[start:stop:step] along axis `dim`."""
    check_step(part)
    check_sliced(x)
    dim = axis(x, dim)
    end = sys.maxsize if part.stop is None else part.stop
    return ops.SliceBackward0.call(x, dim, part.start or 0, end, part.step or 1)


def narrow(x, dim, start, length):
    """`length` slices along `dim`, from `start` on."""
    if not x._array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if whole_like(length, "length") < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = x._array.shape[axis(x, dim)]
    if not -n <= whole_like(start, "start") <= n:
        raise IndexError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})"
        )
    start = start % n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return cut(x, dim, slice(start, start + length))


def chunk(x, chunks, dim=0):
    """At most `chunks` pieces of equal length along `dim`, the last one maybe shorter."""
    if not x._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    chunks = whole(chunks, "chunks")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = x._array.shape[axis(x, dim)]
    if not n:
        return split_with_sizes(x, [0] * chunks, dim)
    return split(x, -(-n // chunks), dim)


def split(x, split_size, dim=0):
    """Pieces of this length along `dim`, the last one maybe shorter; or of the lengths listed."""
    if isinstance(size := split_size, (list, tuple)):
        return x.split_with_sizes(size, dim)
    if not x._array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if whole(standing_for(size), "split_size") < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = axis(x, dim)
    n = x._array.shape[dim]
    if n and not size:
        raise RuntimeError(messages.SPLIT_BY_0.format(n))
    here = (slice(None),) * dim
    pieces = [x._array[(*here, slice(i, i + size))] for i in range(0, max(n, 1), size or 1)]
    return _several(ops.SplitBackward0, x, pieces, (size, dim))


def split_with_sizes(x, split_sizes, dim=0):
    """Pieces of these lengths along `dim`."""
    expected(split_sizes, (list, tuple), "split_sizes", "tuple of ints")
    lengths = all_whole(split_sizes, "split_sizes")
    if not x._array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    place = axis(x, dim)
    n, ends = x._array.shape[place], [0, *accumulate(lengths)]
    fault = "have only non-negative entries" if min(lengths, default=0) < 0 else ""
    if not fault and ends[-1] != n:
        fault = f"to sum exactly to {n} (input tensor's size at dimension {dim})"
    if fault:
        got = f"but got split_sizes={list(lengths)}"
        raise RuntimeError(f"split_with_sizes expects split_sizes {fault}, {got}")
    here = (slice(None),) * place
    pieces = [x._array[(*here, slice(*between))] for between in pairwise(ends)]
    return _several(ops.SplitWithSizesBackward0, x, pieces, (lengths, place))


def unsafe_chunk(x, chunks, dim):
    """Pieces of equal length, each to be written to like a tensor of its own: nobody has `x`."""
    size = x._array.shape[dim] // chunks
    here = (slice(None),) * dim
    pieces = [x._array[(*here, slice(i * size, (i + 1) * size))] for i in range(chunks)]
    outs = _several(ops.UnsafeSplitBackward0, x, pieces, (size, dim), views=False)
    for out in outs:
        out._storage = seen_apart(x._storage)
    return outs


def unbind(x, dim=0):
    """All slices along `dim`, which goes away."""
    if not x._array.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(axis(x, dim)))
    dim = axis(x, dim)
    here = (slice(None),) * dim
    pieces = [x._array[(*here, i, ...)] for i in range(x._array.shape[dim])]
    return _several(ops.UnbindBackward0, x, pieces, (dim,))


def iterate(x):
    """The slices along the first axis, one after the other."""
    if not x._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(x, 0))


def _several(op, x, arrays, arguments, views=True):
    """Several views that share one node; each knows which output it is."""
    if not arrays:
        return ()
    outs = tuple(x._share(array) for array in arrays)
    for out in outs if views else ():
        become_view(out, x)
        out._view_kind = "several" if state.grad_enabled else out._view_kind
    if x._requires_grad and state.grad_enabled:
        node = record(op, outs[0], (x,), (True,), arguments)
        node._num_outputs, node.shapes = len(outs), [a.shape for a in arrays]
        for i, out in enumerate(outs):
            out._edge = node, i
            out._come_into_doubt()
    for tell in observer.on_changed:
        tell()
    return outs


def alone(function: str, name: str, value, others: tuple) -> tuple:
    """Numbers by name, where none are given by place."""
    if others:
        raise TypeError(f"{function}() got multiple values for argument '{name}'")
    return (value,)


@attach
class Views(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def view(x, *shape, size=None):
        given = shape if size is None else alone("view", "size", size, shape)
        return as_shape(x, sizes(given, call="view() "))
    def view_as(x, other):   return as_shape(x, other._array.shape)
    def reshape(x, *numbers, shape=None):
        given = numbers if shape is None else alone("reshape", "shape", shape, numbers)
        return reshape(x, sizes(given, "shape", "reshape() "))
    def unflatten(x, dim, sizes):
        if not sizes:  # before the axis: this part of PyTorch is Python
            raise RuntimeError(NO_SIZES)
        return unflatten(x, dim, sizes)
    def unsqueeze(x, dim):   return ops.UnsqueezeBackward0.call(x, axis(x, dim, extra=1))
    def permute(x, *dims):   return permute(x, sizes(dims, "dims"))
    def expand(x, *shape):   return expand(x, sizes(shape))
    def expand_as(x, other): return expand(x, other._array.shape)
    # fmt: on

    flatten, squeeze, t, transpose = flatten, squeeze, t, transpose
    split, split_with_sizes, chunk, unbind = split, split_with_sizes, chunk, unbind
    swapdims, swapaxes = transpose, swapaxes
    select, narrow, __iter__ = select, narrow, iterate
