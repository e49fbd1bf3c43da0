"""x[...]: numbers and slices make views, one node each; lists copy. For x[...] = see putting.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.backend import beside
from minigrad.core.frames import warn
from minigrad.core.modes import state
from minigrad.core.op import record
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import ask_for_nodes
from minigrad.ops import messages, views
from minigrad.ops import shape as ops
from minigrad.ops.layout import index_steps, is_mask, ordered
from minigrad.ops.reading import seen
from minigrad.ops.shapes import axis

LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result"
)


def get_item(x, index):
    """The chosen part of `x`: views, and then a copy if an index is a list, a mask or a tensor."""
    if index is Ellipsis:
        return ops.AliasBackward0.call(x)
    if isinstance(index, slice):  # alone it makes a node, also if it is the whole
        return views.cut(x, 0, index)
    index = as_tuple(x, index)
    result, indices = chosen_views(x, index)
    if indices:
        return _gather(result, indices)
    return ops.AliasBackward0.call(x) if result is x else result


def as_tuple(x, index) -> tuple:
    """An index as a tuple, which must not be longer than `x` has axes."""
    if isinstance(index, list) and len(index) < 32 and any(map(_like_a_tuple, index)):
        warn(LIST_AS_TUPLE)
        index = tuple(index)
    elif not x._array.ndim and isinstance(index, (int, np.integer)) and not isinstance(index, bool):
        raise IndexError(messages.INDEX_OF_0D if index == 0 else messages.OUT_OF_0D.format(index))
    elif not x._array.ndim and isinstance(index, slice):
        views.cut(x, 0, index)  # refuses it
    index = index if isinstance(index, tuple) else (index,)
    if sum(map(_axes_of, index)) > x._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {x._array.ndim}")
    return tuple([_of_numpy(x, i) if isinstance(i, np.ndarray) else i for i in index])


def _like_a_tuple(i) -> bool:
    """True for what makes the list it stands in a tuple, as numpy once read it."""
    return i is None or i is Ellipsis or isinstance(i, (Tensor, Sequence, slice, np.ndarray))


def _of_numpy(x, i):
    """An array as the number or the tensor that it stands for."""
    number = not i.ndim and not is_mask(i) and i.dtype.kind in "iuf"
    return int(i) if number else as_index(x, i)


def _axes_of(i) -> int:
    """How many axes of the tensor this part of an index is about."""
    if i is None or i is Ellipsis or isinstance(i, bool):
        return 0
    return i._array.ndim if isinstance(i, Tensor) and is_mask(i._array) else 1


def chosen_views(x, index: tuple) -> tuple[Any, dict]:
    """`x` with the numbers, slices and new axes of an index, and {axis: tensor} of what is left."""
    more = x._array.ndim - sum(map(_axes_of, index))  # what `...` stands for
    dim, result, indices = 0, x, {}
    for place, i in enumerate(index):
        if i is Ellipsis:
            dim += more
        elif isinstance(i, slice):
            result = result if _is_whole(result, dim, i) else views.cut(result, dim, i)
            dim += 1
        elif i is None or _is_truth(i):
            result = ops.UnsqueezeBackward0.call(result, dim)
            if i is not None:
                indices[dim] = as_index(x, [0] if i else [])
            dim += 1
        elif _is_list(i):
            indices[dim] = i if isinstance(i, Tensor) else as_index(x, i)
            dim += _axes_of(i)
        else:
            result = _chosen(result, dim, _whole(i), place)
    return result, {dim: as_index(x, i) for dim, i in indices.items()}  # dtypes come last


def _is_whole(x, dim: int, part: slice) -> bool:
    """True for a slice beside other indices that leaves nothing out, and so makes no node."""
    start, step = part.start or 0, part.step or 1
    return start == 0 and step == 1 and (part.stop is None or part.stop >= x._array.shape[dim])


def _chosen(x, dim: int, index: int, place: int):
    """x[index] along `dim`; an error names its place in the whole index."""
    n = x._array.shape[dim] if dim < x._array.ndim else 0
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for dimension {place} with size {n}")
    return ops.SelectBackward0.call(x, dim, index)


def _whole(i) -> int:
    """The number in an index; IndexError if it is none."""
    if not hasattr(i, "__index__"):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {type(i).__name__})"
        )
    return i.__index__()


def _is_truth(i) -> bool:
    """True for True and False, as they are or in a 0-d tensor: they make a new axis."""
    alone = isinstance(i, Tensor) and not i._array.ndim
    return isinstance(i, bool) or (alone and is_mask(i._array))


def _is_list(i) -> bool:
    return isinstance(i, (list, tuple, range, str, np.ndarray)) or (
        isinstance(i, Tensor) and not (i._array.ndim == 0 and i._array.dtype.kind in "iu")
    )


def _gather(x, indices: dict):
    """x[list]: the elements are copied, and the indices saved, if a gradient may be wanted."""
    ask_for_nodes(x)  # also if this fails
    kept = in_order_of_axes(x, indices)
    place = ops.place_of([None if i is None else i._array for i in kept])
    if not x._array.size:
        _check_empty(x, kept)
    try:
        array = x._array[place]
    except IndexError:
        array = _nothing(x, kept, place)
        if array is None:
            raise seen(messages.index_error(x, kept)) from None
    if any(i is not None and is_mask(i._array) for i in kept):
        seen(array.size)
    steps = _steps(x._array, kept, array.ndim)
    chosen = [index_steps(array.shape, steps, i._array) for i in kept if i is not None]
    out = x._new(ordered(array, [step or 0 for step in steps], *chosen))
    if x._requires_grad and state.grad_enabled:
        record(ops.IndexBackward0, out, (x, kept), (True,))
    return out


def _check_empty(x, kept: list) -> None:
    """Of an axis without elements nothing can be chosen; numpy looks only where something is."""
    sizes, numbers = messages.numbers_of(x, kept)
    if 0 in sizes and all(i.size for i in numbers):
        raise seen(messages.index_error(x, kept))


def _nothing(x, kept, place):
    """What indices choose that are out of bounds, if it is no element at all; else None."""
    sizes = [*x._array.shape]
    for dim, i in enumerate(kept):
        if i is not None and not is_mask(i._array):
            sizes[dim] = 1
    one = np.broadcast_to(np.zeros_like(x._array, shape=()), sizes)
    try:
        chosen = one[tuple([within(i) for i in place])]
    except (IndexError, ValueError):
        return None
    return None if chosen.size else np.zeros_like(x._array, shape=chosen.shape)


def within(i):
    """As many indices, which are within bounds."""
    return np.zeros_like(i) if getattr(i, "ndim", 0) and not is_mask(i) else i


def in_order_of_axes(x, indices: dict) -> list:
    """The index tensors by axis, None where an axis is taken whole; a mask stands for several."""
    ends = [place + (i._array.ndim if is_mask(i._array) else 1) for place, i in indices.items()]
    if (dim := max(ends, default=0)) > (ndim := x._array.ndim):
        raise IndexError(f"too many indices for tensor of dimension {ndim} (got {dim})")
    if any(i._array.dtype.kind == "f" for i in indices.values()):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    kept, dim = [], 0
    for place, i in sorted(indices.items()):
        kept += [None] * (place - dim)
        dim = place + 1
        if is_mask(i._array):
            if i._array.dtype == np.uint8:
                warn(messages.BYTE_INDEX)
            _check_mask(x, i, place)
            dim = place + i._array.ndim
        kept.append(i)
    return kept


def _check_mask(x, mask, place: int) -> None:
    there = x._array.shape[place : place + mask._array.ndim]
    for dim, (n, m) in enumerate(zip(mask._array.shape, there, strict=False)):
        if n != m:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {dim} does not match the "
                f"shape of the indexed tensor {list(x.shape)} at index {place + dim}"
            )
    if len(there) < mask._array.ndim:  # of numpy's, which is counted as one axis
        axis(x, x._array.ndim)  # refuses it


def _steps(array, kept, ndim: int) -> tuple:
    """The steps of `array` along the axes of the result, None where the indices decide."""
    whole = [axis for axis, i in enumerate(kept) if i is None]
    taken = [axis for axis, i in enumerate(kept) if i is not None]
    masks = sum(i._array.ndim - 1 for i in kept if i is not None and is_mask(i._array))
    rest = list(array.strides[len(kept) + masks :])
    together = taken == list(range(taken[0], taken[-1] + 1))
    before = [array.strides[axis] for axis in whole if together and axis < taken[0]]
    after = [] if before or together else [array.strides[axis] for axis in whole]
    chosen = [None] * (ndim - len(before) - len(after) - len(rest))
    return (*before, *chosen, *after, *rest)


def as_index(x, i):
    """A list, or a tensor on any device, as a tensor beside `x` that can choose."""
    if not isinstance(i, Tensor):
        array = np.asarray(i)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"new(): invalid data type '{type(array.flat[0].item()).__name__}'")
        return x._new(beside(array if is_mask(array) else array.astype(np.int64), x._array))
    return i if i.device == x.device else i.to(x.device)


@attach
class Indexing(Tensor):
    """Methods of Tensor."""

    __getitem__ = get_item
