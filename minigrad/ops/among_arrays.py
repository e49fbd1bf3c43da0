"""Tensors among numpy's arrays: numpy's functions take them, and give a tensor again."""

from __future__ import annotations

import numpy as np

from minigrad.core.tensor import Tensor, attach
from minigrad.ops.creation import from_numpy


@attach
class AmongArrays(Tensor):
    """What numpy asks of a thing that is no array: `np.exp(x)` is a tensor, without a graph."""

    __array_priority__ = property(lambda self: 1000)  # an array leaves `array * x` to x

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype, copy=copy)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What numpy computed; its bools are uint8, as in PyTorch."""
        return from_numpy(array.astype(np.uint8) if array.dtype == bool else array)
