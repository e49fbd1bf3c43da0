"""The constructors of old: Tensor(2, 3) is given a size, Tensor([2, 3]) numbers; so are its kin."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import CPU, Size
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import creation, messages
from minigrad.ops.nested import TEXTS, no_number
from minigrad.ops.pickling import laid
from minigrad.ops.shape import AliasBackward0


class Constructor(type):
    """The class of FloatTensor and its kin: a call gives a Tensor, not an instance of it."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, x):
        return isinstance(x, Tensor) and x.dtype is cls.dtype and not x.is_cuda

    def __call__(cls, *given):
        first = given[0] if given else 0
        if isinstance(first, Tensor) and len(given) == 1:
            return on_same_bytes(first, cls.dtype)
        if is_length(first) or (isinstance(first, Size) and len(given) == 1):
            return creation.filled("new", given or (0,), 0, cls.dtype, False, CPU)
        if len(given) > 1:
            raise TypeError("new() received an invalid combination of arguments: several, no sizes")
        return creation.tensor(numbers(first), dtype=cls.dtype, device=CPU)


def is_length(value) -> bool:
    """True for a whole number, also for a tensor of one."""
    return not isinstance(value, bool) and (
        isinstance(value, (int, np.integer))
        or (isinstance(value, Tensor) and not value._array.ndim and value._array.dtype.kind in "iu")
    )


def on_same_bytes(x, dtype):
    """A tensor of this dtype, as another one on its bytes."""
    if x.dtype is not dtype or x.is_cuda:
        options = messages.OPTIONS.format
        wanted, got = options(dtype.c_name, CPU), options(x.dtype.c_name, x.device)
        raise TypeError(f"expected {wanted} (got {got})")
    return AliasBackward0.call(x)


def numbers(data):
    """What tensor() takes; here it must be several."""
    if isinstance(data, TEXTS):
        raise no_number(data)
    if not isinstance(data, (Sequence, np.ndarray)):
        numpys = "numpy." * isinstance(data, np.generic)
        raise TypeError(f"new(): data must be a sequence (got {numpys}{type(data).__name__})")
    return data


@functools.cache
def constructor(dtype) -> Constructor:
    """That of one dtype, under PyTorch's name."""
    name = dtype.legacy.rpartition(".")[2]
    return Constructor(name, (), {"dtype": dtype, "__module__": "minigrad"})


HalfTensor, FloatTensor = constructor(dtypes.float16), constructor(dtypes.float32)
DoubleTensor, LongTensor = constructor(dtypes.float64), constructor(dtypes.int64)
IntTensor, ByteTensor = constructor(dtypes.int32), constructor(dtypes.uint8)
BoolTensor = constructor(dtypes.bool_)


def of_default(*given):
    """What a constructor of the default dtype makes."""
    return constructor(dtypes.get_default_dtype())(*given)


@attach
class Made(Tensor):
    """How a Tensor is made by a call."""

    def __new__(cls, *given, **options):
        if cls.__init__ is not object.__init__:  # it fills itself, as a Parameter does
            return object.__new__(cls)
        if options.keys() - {"device"} or str(options.get("device", "cpu")) != "cpu":
            raise TypeError(f"new() got options that it does not take: {', '.join(options)}")
        alone = len(given) == 1 and isinstance(given[0], Tensor)
        made = AliasBackward0.call(given[0]) if alone else of_default(*given)
        return made if cls is Tensor else laid(cls, made._storage, made._array, False)
