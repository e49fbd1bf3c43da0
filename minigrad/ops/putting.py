"""x[index] = value: numbers and slices choose a view, which is filled or copied into; lists put.

It goes as in PyTorch: the view that the index makes is written to, so that its base gets a
CopySlices (rebasing.py) around that write where a gradient is wanted.
"""

from __future__ import annotations

import contextlib

import numpy as np

from minigrad.core.backend import beside
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.inplace import apply_inplace
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.ops import messages, reading, views
from minigrad.ops import shape as ops
from minigrad.ops.checks import check_apart, leaf_first, warn_if_expanded
from minigrad.ops.indexing import as_tuple, chosen_views, in_order_of_axes, within
from minigrad.ops.inplace import copied, filled
from minigrad.ops.layout import is_mask
from minigrad.ops.numbers import assigned, converted, fits


def set_item(x, index, value):
    """x[index] = value, in place; of no places if the index is False."""
    if not isinstance(value, Tensor):
        kind = x._array.dtype
        value = wrap(np.array(assigned(value, kind)).astype(kind))
    if index is None or index is True:
        put(ops.UnsqueezeBackward0.call(x, 0), {}, value)
    elif index is not False:
        put(*chosen_views(x, as_tuple(x, index)), value)


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


@leaf_first
def put_at(x, indices: dict, value) -> None:
    """x[indices] = value; `indices` has tensors by their axes."""
    kept = in_order_of_axes(x, indices)
    filling = _check_filled(kept, value)
    warn_if_expanded("index_put_", "indices] = tensor", x._array)
    if filling:
        warn_if_expanded("masked_fill_", "mask] = scalar", x._array)
    if not x._array.size:  # nothing goes anywhere, and so also not out of bounds
        kept = [None if i is None else i._new(within(i._array)) for i in kept]

    def compute(array):
        key = ops.place_of([None if i is None else i._array for i in kept])
        try:
            _fill(array, key, value, filling)
        except IndexError:
            _refuse(x, kept, key, value)
        return array

    apply_inplace(ops.IndexPutBackward0, x, compute, value, kept, arguments=(False,))


def _check_filled(kept: list, value) -> bool:
    """True for one mask and one number: PyTorch fills then, and puts else."""
    found = [i for i in kept if i is not None]
    if len(found) > 1 or not is_mask(found[0]._array) or value._array.size != 1 or value.is_cuda:
        return False
    if found[0]._array.dtype == np.uint8:
        raise RuntimeError(messages.BOOLEAN_MASKS.format("unsigned char"))
    return True


def _refuse(x, kept, key, value) -> None:
    """What numpy refused to choose, in PyTorch's words, which looks at the value's shape first."""
    with contextlib.suppress(IndexError):
        _check_shape(x._array, _inside(key), value)
    raise reading.seen(messages.index_error(x, kept)) from None


def _inside(key) -> tuple:
    """A key of as many elements, all within bounds."""
    return tuple(map(within, key))


def _fill(array, key, value, filling: bool) -> None:
    """Write into the elements that a key of slices and arrays chooses."""
    new = beside(value._array, array)
    if filling:
        if not fits(number := value._array.item(), array.dtype):
            array[key]  # PyTorch looks at the mask first
            converted(number, array.dtype)
    else:
        check_apart(array, value, same=False)
        _check_dtype(array, key, value)
    try:
        if not new.size:
            _check_shape(array, key, value)  # numpy looks only where something is written
        array[key] = new
    except IndexError:
        if array[_inside(key)].size:  # else it does not matter where nothing goes
            raise
        _check_shape(array, _inside(key), value)
    except (ValueError, TypeError):
        _check_shape(array, key, value)
        raise


def _check_dtype(array, key, value) -> None:
    """What is put has the dtype; its shape comes first, what is out of bounds last."""
    if value._array.dtype == array.dtype:
        return
    try:
        _check_shape(array, key, value)
    except IndexError as error:
        if not array.size or "out of bounds" not in str(error):
            raise
        _check_shape(array, _inside(key), value)
    kinds = [BY_NUMPY[a.dtype].scalar_type for a in (array, value._array)]
    raise RuntimeError(messages.PUT.format(*kinds))


def _check_shape(array, key, value) -> None:
    """Refuse what cannot be repeated to fill the chosen places, in PyTorch's words."""
    wanted, shape = array[key].shape, shape_trimmed(value._array.shape)
    pairs = zip(shape[::-1], wanted[::-1], strict=False)
    if len(shape) > len(wanted) or any(n not in (m, 1) for n, m in pairs):
        raise reading.seen(RuntimeError(messages.PUT_SHAPE.format([*shape], [*wanted])))


@attach
class Putting(Tensor):
    """Methods of Tensor."""

    __setitem__ = set_item
