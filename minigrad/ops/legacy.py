"""The constructors of old: torch.FloatTensor(2, 3) has a size, FloatTensor([2, 3]) numbers."""

from __future__ import annotations

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Size
from minigrad.core.tensor import Tensor
from minigrad.ops.creation import empty, from_numpy, tensor


class _Kind(type):
    """isinstance(x, torch.FloatTensor) asks for the dtype."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and x.dtype is cls.dtype

    def __call__(cls, *given):
        if not given or isinstance(given[0], (int, Size)):
            return empty(*(given or (0,)), dtype=cls.dtype)
        (data,) = given
        if isinstance(data, Tensor):
            if data.dtype is not cls.dtype:
                raise TypeError(f"expected dtype={cls.dtype} (got dtype={data.dtype})")
            return data.detach()
        if not isinstance(data, (list, tuple, np.ndarray)):
            raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
        return tensor(data, dtype=cls.dtype)


def kind(dtype) -> _Kind:
    """The constructor of one dtype, under PyTorch's name."""
    name = dtype.legacy.rpartition(".")[2]
    return _Kind(name, (), {"dtype": dtype, "__module__": "torch", "__doc__": _Kind.__doc__})


HalfTensor, FloatTensor = kind(dtypes.float16), kind(dtypes.float32)
DoubleTensor, LongTensor = kind(dtypes.float64), kind(dtypes.int64)
IntTensor, ByteTensor = kind(dtypes.int32), kind(dtypes.uint8)
BoolTensor = kind(dtypes.bool_)


def as_tensor(data, dtype=None, device=None):
    """The tensor itself, or one on the bytes of an array; only what is neither is copied."""
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    if not isinstance(data, Tensor):
        return tensor(data, dtype=dtype, device=device)
    given = {"dtype": dtype, "device": device}
    return data.to(**{name: value for name, value in given.items() if value is not None})
