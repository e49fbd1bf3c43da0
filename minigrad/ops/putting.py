"""x[index] = value: numbers and slices choose a view, which is filled or copied into; lists put.

Where nobody wants a gradient numpy does all at once. Else it goes as in PyTorch: the view that the
index makes is written to, so that its base gets a CopySlices (rebasing.py) around that write.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from minigrad.core.backend import beside
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.inplace import apply_inplace, overwrite
from minigrad.core.messages import kernel_type
from minigrad.core.tensor import Tensor, attach, recording, wrap
from minigrad.ops import messages, reading, views
from minigrad.ops import shape as ops
from minigrad.ops.checks import check_apart, check_part
from minigrad.ops.indexing import (
    as_index,
    as_tuple,
    chosen_views,
    in_order_of_axes,
    is_list,
    within,
)
from minigrad.ops.inplace import copied, filled
from minigrad.ops.numbers import assigned, converted, fits
from minigrad.ops.shapes import expansion


def set_item(x, index, value):
    """x[index] = value, in place; of no places if the index is False."""
    if not isinstance(value, Tensor):
        value = assigned(value, x._array.dtype)
        if _is_byte_mask(index):
            raise RuntimeError(messages.BYTE_MASK)
    if index is not False:
        _write(x, index, _arrays(x, index), value)


def _write(x, index, key, value) -> None:
    """As part of a graph, or at once."""
    given = (x, value) if isinstance(value, Tensor) else (x,)
    if x.is_floating_point() and recording(given):
        value = value if isinstance(value, Tensor) else wrap(np.array(value, x._array.dtype))
        put(*chosen(x, index), value)
        return
    try:
        overwrite(x, lambda array: _with(array, key, value))
    except IndexError:
        _refuse(*chosen(x, index), value)


def _refuse(part, indices: dict, value) -> None:
    """What numpy refused to choose, in PyTorch's words, which looks at the value's shape first.

    Of numbers `chosen` has said it.
    """
    kept = in_order_of_axes(part, indices)
    if isinstance(value, Tensor):
        with contextlib.suppress(IndexError):
            there = ops.place_of([None if i is None else within(i._array) for i in kept])
            _check_shape(part._array, there, value)
    raise reading.seen(messages.index_error(part, kept)) from None


def _arrays(x, index):
    """The index as numpy wants it: arrays, beside that of `x`, in place of tensors and lists."""
    if isinstance(index, slice):
        views.check_step(index)
        views.check_sliced(x)
    index = as_tuple(x, None if index is True else index)
    for i in index:
        if isinstance(i, slice):
            views.check_step(i)
    return tuple(as_index(x, i)._array if is_list(i) else i for i in index)


def _is_byte_mask(index) -> bool:
    """True for a mask of bytes that nothing else chooses beside."""
    parts = index if isinstance(index, tuple) else (index,)
    chosen = [i for i in parts if i is not None and i is not Ellipsis]
    (mask,) = chosen if len(chosen) == 1 else (None,)
    return isinstance(mask, Tensor) and mask._array.dtype == np.uint8 and mask._array.ndim > 0


def _with(array, key, value):
    """Write into a part of `array`; the array itself is the result."""
    part, key = _narrowed(array, key)
    _fill(part, key, value)
    return array


def _narrowed(array, key) -> tuple:
    """The part that the numbers of a key choose, and the rest of the key, without an Ellipsis.

    Beside lists numpy takes numbers for lists, and an Ellipsis for an axis, which can change the
    order of the axes.
    """
    if not _choosing(key):
        return array, key
    more = array.ndim - sum(len(_widths(i)) for i in key)
    key = [part for i in key for part in ([slice(None)] * more if i is Ellipsis else [i])]
    first = [part for i in key for part in ([i] if _is_number(i) else _widths(i))]
    return array[(*first, ...)], tuple([i for i in key if not _is_number(i)])


def _is_number(i) -> bool:
    """A whole number, as it is or as a tensor; no list, which is an array here, and no truth."""
    return hasattr(i, "__index__") and not _choosing([i])


def _widths(i) -> list:
    """The axes that a part of a key is about, whole."""
    if _is_number(i) or isinstance(i, slice):
        return [slice(None)]
    return [part for part in _whole(i) if part not in (None, Ellipsis)]


def _fill(array, key, value) -> None:
    """Write into what a key chooses; of lists and slices, or of numbers and slices."""
    new = value
    if isinstance(value, Tensor):
        new = beside(value._array, array).reshape(shape_trimmed(value._array.shape))
    if _choosing(key):
        _check_put(array, key, value)
    else:
        if isinstance(value, Tensor):
            _check_shape(array, key, value)
        check_part(array, key, value)
    try:
        if isinstance(value, Tensor) and not value._array.size:
            _check_shape(array, key, value)  # numpy looks only where something is written
        array[key] = new
    except IndexError:
        inside = tuple(map(within, key))
        if array[inside].size:  # else it does not matter where nothing goes
            raise
        if isinstance(value, Tensor):
            _check_shape(array, inside, value)
    except (ValueError, TypeError):
        _check_shape(array, key, value)
        raise


def _choosing(key) -> list:
    """The arrays and truths in a key: what chooses element by element."""
    numbers = (Tensor, np.generic)  # those with a dtype that are not counted here
    arrays = [i for i in key if hasattr(i, "dtype") and not isinstance(i, numbers)]
    return arrays + [i for i in key if isinstance(i, bool)]


def _check_put(array, key, value) -> None:
    """What is put must lie elsewhere, and have the dtype; but one number for a mask is filled."""
    found = _choosing(key)
    masked = len(found) == 1 and not isinstance(found[0], bool) and _is_mask(found[0])
    if not isinstance(value, Tensor):
        return
    if masked and value._array.size == 1 and not value.is_cuda:
        if not fits(number := value._array.item(), array.dtype):
            array[key]  # PyTorch looks at the mask first
            converted(number, array.dtype)
        return
    check_apart(_part(array, key), value, same=False)
    if value._array.dtype != array.dtype:
        try:
            _check_shape(array, key, value)
        except IndexError as error:  # PyTorch looks last at what is out of bounds of some elements
            if not array.size or "out of bounds" not in str(error):
                raise
            _check_shape(array, tuple(map(within, key)), value)
        raise RuntimeError(messages.PUT.format(kind_of(array), kind_of(value._array)))


def _is_mask(array) -> bool:
    """Bools that choose; a single one is no mask."""
    return array.dtype.kind == "b" and array.ndim > 0


def _part(array, key):
    """The part of which a key chooses elements."""
    return array[tuple([part for i in key for part in _whole(i)])]


def _whole(i) -> list:
    """The axes that an index chooses from, whole; what chooses nothing is left."""
    if not _choosing([i]):
        return [i]
    if isinstance(i, bool) or (i.dtype.kind == "b" and not i.ndim):
        return [None]
    return [slice(None)] * (i.ndim if i.dtype.kind == "b" else 1)


def kind_of(array) -> str:
    """Its dtype, as messages name it."""
    return BY_NUMPY[array.dtype].scalar_type


def _check_shape(array, key, value) -> None:
    """Refuse what cannot be repeated to fill the chosen places, in PyTorch's words."""
    wanted, shape = array[key].shape, shape_trimmed(value._array.shape)
    if not _choosing(key):
        expansion(shape, wanted, kernel_type(value))
        return
    fits = zip(shape[::-1], wanted[::-1], strict=False)
    if len(shape) > len(wanted) or any(n not in (m, 1) for n, m in fits):
        raise reading.seen(RuntimeError(messages.PUT_SHAPE.format([*shape], [*wanted])))


# -- where it is recorded --


def chosen(x, index) -> tuple[Any, dict]:
    """The view that an index makes of `x`, and {axis: tensor} of what it chooses from that."""
    if index is None or index is True:
        return ops.UnsqueezeBackward0.call(x, 0), {}
    return chosen_views(x, as_tuple(x, index))


def put(part, indices: dict, value) -> None:
    """Fill or overwrite a view, or put the value at chosen places of it."""
    shape = part._array.shape
    if indices:
        put_at(part, indices, trimmed(value))
    elif value._array.shape == shape:
        copied(part, value)
    elif not value._array.ndim and not value.is_cuda:
        filled(part, value)
    else:
        value = ops.ViewBackward0.call(value, shape_trimmed(value._array.shape))
        copied(part, value if value._array.shape == shape else views.expand(value, [*shape]))


def shape_trimmed(shape) -> tuple:
    """Without the axes of length 1 that it begins with."""
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return shape[first:]


def trimmed(value):
    """A view without these axes, if there are any."""
    shape = shape_trimmed(value._array.shape)
    return value if shape == value._array.shape else ops.ViewBackward0.call(value, shape)


def put_at(x, indices: dict, value) -> None:
    """x[indices] = value; `indices` has tensors by their axes."""
    kept = in_order_of_axes(x, indices)
    if not x._array.size:  # nothing goes anywhere, and so also not out of bounds
        kept = [None if i is None else i._new(within(i._array)) for i in kept]

    def compute(array):
        place: Any = ops.place_of([None if i is None else i._array for i in kept])
        try:
            return _with(array, place, value)
        except IndexError:
            _refuse(x, indices, value)

    apply_inplace(ops.IndexPutBackward0, x, compute, value, kept, arguments=(False,))


@attach
class Putting(Tensor):
    """Methods of Tensor."""

    __setitem__ = set_item
