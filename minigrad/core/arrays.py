"""The few things that arrays of numpy and of a GPU do differently.

Rules are written with operators, methods and numpy functions that both libraries answer to;
what they do not share stands here.
"""

from __future__ import annotations

import math

import numpy as np

from minigrad import gpu
from minigrad.core.dtypes import CPU, CUDA, device
from minigrad.core.stand_ins import StandIn

WIDER = {"e": np.dtype(np.float32), "f": np.dtype(np.float64)}
LONG = 1 << 10  # terms, up to which it does not matter in which order they are added up
BLOCK = {"cpu": 1 << 14, "cuda": 1 << 22}  # elements: no temporary is as big as a large weight


def as_array(value):
    """What a tensor keeps of a result: a 0-d array around a scalar, what a stand-in stands for."""
    if isinstance(value, StandIn):
        return value.array
    return value if value.__class__ in gpu.kinds else np.asarray(value)


def device_of(array) -> device:
    """Where the bytes of this array live; one object a device, so that `is` compares them."""
    return CUDA if array.__class__ in gpu.kinds else CPU


def on_host(array):
    """The same numbers as a numpy array: a copy if they live on a GPU."""
    return array.get() if array.__class__ in gpu.kinds else array


def address(array) -> int:
    """Of the first byte."""
    if array.__class__ in gpu.kinds:
        return array.data.ptr
    return array.__array_interface__["data"][0]


def cast(array, dtype):
    """A copy in that dtype, laid out as PyTorch does: repeated elements decide no order."""
    return array.astype(dtype, "C" if 0 in array.strides else "K")


def cast_repeated(array, dtype):
    """The same of a second operand: what is repeated stays so, and it decides no order at all."""
    once = array[tuple([slice(None if step else 1) for step in array.strides])]
    return np.broadcast_to(once.astype(dtype), array.shape)


def added(array, where=None, keepdims=False):
    """array.sum(), as exact as PyTorch's.

    numpy adds up half floats as such, so that 2048 and 1 are 2048, and one by one what does not lie
    side by side: there a number with more digits adds up, which is rounded in the end.
    """
    wide = adding(array, where)
    if wide is None:
        return array.sum(where, keepdims=keepdims)
    return array.sum(where, wide, keepdims=keepdims).astype(array.dtype)


def in_order(array):
    """`array` with its elements in order, copied if they are not."""
    return array if array.flags.c_contiguous else array.copy("C")


def adding(array, where):
    """The dtype in which to add up `array` along these axes; None for its own."""
    if array.__class__ is not np.ndarray or array.dtype.char not in WIDER:
        return None
    if array.dtype == np.float16:
        return WIDER["e"]
    if array.size <= LONG:
        return None
    axes = range(array.ndim) if where is None else where if where.__class__ is tuple else (where,)
    parts = sorted((array.strides[axis], array.shape[axis]) for axis in axes)
    run = 1  # so many terms lie side by side
    for step, length in parts:
        if step == run * array.itemsize:
            run *= length
    return WIDER["f"] if math.prod(length for _, length in parts) // run > LONG else None


def blocks(*arrays):
    """Matching parts, of at most BLOCK elements, of arrays of one shape: views in any layout."""
    size, most = arrays[0].size, BLOCK[device_of(arrays[0]).type]
    if size <= most:
        return (arrays,)
    length = len(arrays[0])
    if length == 1:
        return blocks(*[a[0] for a in arrays])
    rows = max(1, most * length // size)
    starts = range(0, length, rows)
    return (part for i in starts for part in blocks(*[a[i : i + rows] for a in arrays]))


def add_at(array, place, values) -> None:
    """array[place] += values, where one place may be named several times."""
    if array.__class__ in gpu.kinds:
        array.scatter_add(place, values)
    else:
        np.add.at(array, place, values)


def repeat(array, shape):
    """`array` seen under a larger `shape`, without copying: repeated axes have stride 0, and a new
    one of one element the step from the end of all that follows, as PyTorch's.
    """
    if array.__class__ is not np.ndarray:
        return np.broadcast_to(array, shape)  # on a GPU, or a stand-in
    new = len(shape) - array.ndim
    pairs = zip(shape[new:], array.shape, array.strides, strict=True)
    strides = (0,) * new + tuple([step if n == m else 0 for n, m, step in pairs])
    for i in reversed(range(min(new, len(shape) - 1))):
        if shape[i] == 1 and array.size:
            strides = (*strides[:i], shape[i + 1] * strides[i + 1], *strides[i + 1 :])
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, 0, strides)  # 10 times faster than as_strided
    return strided(array, shape, strides)


def strided(array, shape, strides):
    """`array` seen in other steps, without copying."""
    if array.__class__ is np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides)
    if isinstance(array, StandIn):
        return array.through(strided, shape, strides)
    return gpu.of(array).strided(array, shape, strides)


def dense(array) -> bool:
    """True if the elements fill a stretch of memory, in any order of the axes."""
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    return array.size > 0 and array.transpose(order).flags.c_contiguous
