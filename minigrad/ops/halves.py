"""Half floats, with which PyTorch's kernels compute in float32, and round the result alone.

A number beside them is not rounded either:

    mg.tensor([1000.0]).half() * 1e-8   # 1.0014e-05, though 1e-8 is 0 as a half float
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import cast
from minigrad.core.dtypes import OF_NUMBER
from minigrad.core.promotion import in_range
from minigrad.core.tensor import Tensor
from minigrad.ops.layout import room_beside
from minigrad.ops.numbers import of_kernels
from minigrad.ops.reading import seen

HALF = np.dtype(np.float16)


def floats(x):
    """Integers become floats where PyTorch's do: in functions that are not closed over them."""
    return x if x.dtype.kind == "f" else cast(x, OF_NUMBER[float])


def wide(x):
    """`x` as PyTorch computes with it inside of a kernel: half floats as whole ones."""
    x = floats(x)
    return x.astype(of_kernels(x.dtype), copy=False)


def in_whole_floats(rule):
    """A forward or a backward that is one kernel of PyTorch's."""

    def computed(*given):
        if not any(getattr(one, "dtype", None) == HALF for one in given):
            return rule(*given)
        found = rule(*map(_whole, given))
        return tuple(map(_half, found)) if type(found) is tuple else _half(found)

    return computed


def _half(one):
    return None if one is None else one.astype(HALF)


def _whole(one):
    if getattr(one, "dtype", None) == HALF:
        return wide(one)
    return float(one) if type(one) is Unrounded else one


class Unrounded(float):
    """A number beside half floats: an array's product with it, or quotient, is rounded alone."""

    __array_ufunc__ = None  # so that NumPy leaves both to these methods

    def __rmul__(self, array):
        return self._beside(np.multiply, array)

    def __rtruediv__(self, array):
        return self._beside(np.true_divide, array)

    def _beside(self, function, array):
        out = room_beside(array) if 0 in array.strides else np.empty_like(array)
        # NumPy fills it piece by piece; of arrays with one axis it would make all in float32 first.
        function(array[None], np.float32(self), out=out[None])
        return out


def unrounded(number, array):
    """What such an array is multiplied by, or divided; anything but a number as it is."""
    return Unrounded(number) if array.dtype is HALF and type(number) in OF_NUMBER else number


def beside_halves(x, y):
    """The number `y` as the half floats of tensor `x` are multiplied by it; None if there are none.

    A 0-d tensor of the CPU counts as a number, if the result is one of half floats.
    """
    if x._array.dtype is not HALF:
        return None
    if isinstance(y, Tensor):
        if y._array.ndim or y.is_cuda or (not x._array.ndim and y.is_floating_point()):
            return None
        y = seen(y._array.item())
    return Unrounded(in_range(y, HALF)) if type(y) in OF_NUMBER else None
