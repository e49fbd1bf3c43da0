"""In which order a result lies in memory, where numpy and PyTorch choose differently."""

from __future__ import annotations

import numpy as np


def copied(array, dtype):
    """A copy that lies as `array` does, if repeated axes are left out of account."""
    copy = array.astype(dtype)
    return ordered(copy, array.strides) if 0 in array.strides else copy


def ordered(array, *strides):
    """`array`, whose axes lie as PyTorch's TensorIterator would have them, copied if need be.

    `strides` has the steps of each operand along the axes of `array`; 0 where it is repeated.
    """
    axes = outermost_first(array.shape, strides)
    as_it_lies = array.transpose(axes)
    if not as_it_lies.flags.c_contiguous or 1 in array.shape:  # numpy has any step there
        as_it_lies = as_it_lies.copy("C")
    return as_it_lies.transpose(np.argsort(axes).tolist())


def not_in_order(array) -> int:
    """The bytes of the copy that PyTorch's contiguous() makes of an array: 0 if it needs none."""
    return 0 if array.flags.c_contiguous else array.nbytes


def room_beside(array):
    """An array to be filled, which lies as ordered() would have a result of `array`."""
    axes = outermost_first(array.shape, (array.strides,))
    room = np.empty_like(array, order="C", shape=[array.shape[i] for i in axes])
    return room.transpose(np.argsort(axes).tolist())


def outermost_first(shape: tuple, strides: tuple) -> list:
    """The axes by their steps; where those do not decide, as they come. (An insertion sort.)"""
    axes = list(range(len(shape)))[::-1]  # innermost first
    for i in range(1, len(axes)):
        here = i
        for before in range(i - 1, -1, -1):
            way = _compare(shape, strides, axes[before], axes[here])
            if way < 0:
                break
            if way > 0:
                axes[before], axes[here] = axes[here], axes[before]
                here = before
    return axes[::-1]


def _compare(shape, strides, one: int, other: int) -> int:
    """1 if axis `one` steps farther than axis `other`, -1 if less far, 0 if nothing decides."""
    for steps in strides:
        if steps[one] and steps[other]:
            if steps[one] != steps[other]:
                return 1 if steps[one] > steps[other] else -1
            if shape[one] > shape[other]:
                return 1
    return 0


def is_mask(index) -> bool:
    """True for an array of bools or bytes, each of which takes an element or leaves it."""
    return index.dtype in (np.bool_, np.uint8)


def index_steps(shape: tuple, steps: tuple, index) -> list:
    """The steps of an index as PyTorch lays it beside: its own along the axes that indices decide.

    Those are where `steps` has None. A mask is numbers along one axis. Along an axis of one
    element the next element would lie as if all before it were passed: so does PyTorch's view.
    """
    laid = _laid(index, [n for n, decided in zip(shape, steps, strict=True) if decided is None])
    found, step = [], laid[-1] if laid else index.itemsize
    for n, decided in zip(reversed(shape), reversed(steps), strict=True):
        mine = laid.pop() if decided is None else 0
        found.append(step if n == 1 else mine)
        step = mine * n if decided is None and n != 1 else step
    return found[::-1]


def _laid(index, shape: list) -> list:
    """The steps of `index`, made as large as `shape`: 0 where it is repeated."""
    index = index.reshape(-1) if is_mask(index) else index
    missing = len(shape) - index.ndim
    sizes, strides = (1,) * missing + index.shape, (0,) * missing + index.strides
    each = zip(shape, sizes, strides, strict=True)
    return [0 if count == 1 != n else stride for n, count, stride in each]


def channels_last(array) -> bool:
    """Do the channels of a place lie together, as where PyTorch lays out the result so, too?"""
    if array.flags.c_contiguous or array.ndim not in (4, 5):
        return False
    least = 0
    for axis in (1, *range(array.ndim - 1, 1, -1), 0):
        if array.shape[axis] > 1:
            if array.strides[axis] <= 0 or array.strides[axis] < least:
                return False
            least = array.strides[axis] * array.shape[axis]
    return True
