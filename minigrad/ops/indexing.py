"""x[...] and x[...] = value. Numbers and slices make views, one node each; lists copy."""

from __future__ import annotations

import numpy as np

from minigrad.core.backend import beside
from minigrad.core.inplace import check_writable, move_on, overwrite
from minigrad.core.messages import IN_PLACE_ON_LEAF_VIEW
from minigrad.core.modes import state
from minigrad.core.op import gradients_wanted, record
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages, views
from minigrad.ops import shape as ops
from minigrad.ops.inplace import CopySlices, check_apart
from minigrad.ops.numbers import assigned
from minigrad.ops.shapes import expansion


def get_item(x, index):
    """The chosen part of `x`: a chain of views, or a copy if an index is a list or a tensor."""
    index = index if isinstance(index, tuple) else (index,)
    if any(_is_list(i) for i in index):
        return _gather(x, index)
    if index == (Ellipsis,):
        return ops.AliasBackward0.call(x)
    dim, result = 0, x
    for i in _spelled_out(x, index):
        if i is None:
            result = ops.UnsqueezeBackward0.call(result, dim)
        elif isinstance(i, slice):
            if i != slice(None):
                result = views.cut(result, dim, i)
        else:
            result = views.select(result, dim, _whole(i))
            continue
        dim += 1
    return ops.AliasBackward0.call(x) if result is x else result


def _whole(i) -> int:
    """The number in an index; IndexError if it is none."""
    if isinstance(i, Tensor) and i._array.dtype.kind not in "iu":
        raise TypeError(messages.NO_INDEX)
    if isinstance(i, float) or not hasattr(i, "__index__"):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {type(i).__name__})"
        )
    return i.__index__()


def _is_list(i) -> bool:
    return isinstance(i, (list, np.ndarray)) or (
        isinstance(i, Tensor) and not (i._array.ndim == 0 and i._array.dtype.kind in "if")
    )


def _spelled_out(x, index):
    """The index with `...` replaced by as many full slices as it stands for."""
    used = sum(i is not None and i is not Ellipsis for i in index)
    if used and not x._array.ndim:
        raise IndexError(messages.INDEX_OF_0D)
    if used > x._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {x._array.ndim}")
    for i in index:
        if i is Ellipsis:
            yield from [slice(None)] * (x._array.ndim - used)
        else:
            yield i


def _gather(x, index):
    """x[list]: the elements are copied, and the indices saved, if a gradient may be wanted."""
    indices = [i if isinstance(i, slice) else _as_index(x, i) for i in index]
    try:
        out = x._new(x._array[tuple(i if isinstance(i, slice) else i._array for i in indices)])
    except IndexError as error:
        raise IndexError(str(error).replace("for axis", "for dimension")) from None
    if x._requires_grad and state.grad_enabled:
        if any(isinstance(i, slice) and i != slice(None) for i in indices):
            raise NotImplementedError(
                "minigrad does not record a list and a slice in one index: take x[slice] first, "
                "then the list"
            )
        kept = [None if isinstance(i, slice) else i for i in indices]
        record(ops.IndexBackward0, out, (x, kept), (True,))
    return out


def _as_index(x, i):
    """A list, or a tensor on any device, as a tensor beside `x`."""
    if isinstance(i, Tensor):
        return i if i.device == x.device else i.to(x.device)
    return x._new(beside(np.asarray(i), x._array))


def _arrays(x, index):
    """The index as numpy wants it: arrays, beside that of `x`, in place of tensors and lists."""
    index = index if isinstance(index, tuple) else (index,)
    return tuple(_as_index(x, i)._array if _indexes(i) else i for i in index)


def _indexes(i) -> bool:
    return isinstance(i, (Tensor, list, np.ndarray))


def set_item(x, index, value):
    """x[index] = value: written in place; the node CopySlices cuts the old part's gradient out."""
    key = _arrays(x, index)
    other = value if isinstance(value, Tensor) else None
    wanted = gradients_wanted(CopySlices, (x, other))
    if x._requires_grad and x.grad_fn is None and state.grad_enabled:
        raise RuntimeError(IN_PLACE_ON_LEAF_VIEW)
    if not (state.grad_enabled and (wanted or x._is_secret_view())):
        overwrite(x, lambda array: _with(array, key, value))
        return
    check_writable(x)
    node = record(CopySlices, x._twin(x._array), (x._past(clone=False), other), wanted, (key,))
    node._saved = [True]
    overwrite(x, lambda array: _with(array, key, value))
    if other is not None:
        node._meta = [(1, value._array.shape, value._array.dtype)]
    move_on(x, node)


def _with(array, key, value):
    """Write into a part of `array`; the array itself is the result."""
    if isinstance(value, Tensor):
        new = beside(value._array, array)
        if isinstance(part := array[key], np.ndarray) and part.base is not None:
            check_apart(part, value)
    else:
        new = assigned(value, array.dtype)
    try:
        array[key] = new
    except ValueError:
        expansion(np.shape(new), array[key].shape)  # raises PyTorch's error
        raise
    return array


@attach
class Indexing(Tensor):
    """Methods of Tensor."""

    __getitem__, __setitem__ = get_item, set_item
