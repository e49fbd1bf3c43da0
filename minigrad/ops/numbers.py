"""A Python number on its way into a tensor: it must fit the dtype, as PyTorch checks it."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.promotion import in_range, number_of, plain
from minigrad.core.words import wrong_kind
from minigrad.ops.reading import seen

WIDEST = np.dtype(np.float64)
TOO_BIG = "Overflow when unpacking long long"

C_NAMES = {
    "uint8": "uint8_t", "int32": "int", "int64": "int64_t", "float16": "c10::Half",
    "float32": "float", "float64": "double",
}  # fmt: skip


def converted(number, dtype):
    """The number as an element of this dtype; RuntimeError if there is no room for it."""
    number = number_of(number)
    if not isinstance(number, (bool, int, float)):  # a tensor would do, or another kind: see words
        raise TypeError(f"unsupported operand for a number: {number!r}")
    in_range(number, dtype)  # PyTorch's own numbers have 64 bits
    if not fits(number, dtype):
        name = C_NAMES[BY_NUMPY[dtype].name]
        said = f"value cannot be converted to type {name} without overflow"
        raise seen(RuntimeError(said))  # the number may be a tensor's
    return np.array(number).astype(dtype).item()


def a_number(value, name: str = "number", place: int = 0):
    """The number itself, of numpy's and of a tensor's Python's; TypeError if it is none."""
    return in_range(_asked(value, "Number", name, place), WIDEST)


def a_float(value, name: str = "number", place: int = 0) -> float:
    """The same as a float."""
    return float(_asked(value, "float", name, place))


def _asked(value, wanted, name, place):
    """The number; the error of another thing tells the place that PyTorch's own Python gives it."""
    number = number_of(value)
    if not isinstance(number, (bool, int, float)):
        raise wrong_kind(name, wanted, value, f" (position {place})" if place else "")
    return number


def of_kernels(dtype):
    """The dtype in which PyTorch's kernels compute: half floats as whole ones."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def of_kernel(number, dtype):
    """A number that a kernel computes with: half floats it takes as whole ones."""
    return converted(number, of_kernels(dtype))


def for_filling(number, dtype, count: int):
    """The number that `count` elements are to have; PyTorch looks not so closely at one half."""
    if count == 1 and dtype == np.float16 and isinstance(plain(number), (bool, int, float)):
        return float(in_range(plain(number), dtype))
    return converted(number, dtype)


def assigned(value, dtype):
    """What x[index] = value writes, if `value` is no tensor."""
    number = plain(value)
    if not isinstance(value, (bool, int, float, np.integer)):
        legacy, numpys = BY_NUMPY[dtype].legacy, isinstance(value, (np.ndarray, np.generic))
        kind = "numpy." * numpys + type(value).__name__
        raise TypeError(f"can't assign a {kind} to a {legacy}")
    long_long(number)
    return for_filling(number, dtype, 1)


def long_long(*numbers) -> None:
    """Whole numbers have room in 64 bits, or PyTorch's parser refuses them."""
    if not all(isinstance(n, float) or -(2**63) <= n < 2**63 for n in numbers):
        raise ValueError(TOO_BIG)


def fits(number, dtype) -> bool:
    """Is it in the range of the dtype? A byte is given -1 and means 255."""
    if dtype.kind == "b":
        return True
    if dtype.kind == "f":
        return not math.isfinite(number) or abs(number) <= float(np.finfo(dtype).max)
    limits = np.iinfo(dtype)
    wraps = dtype.kind == "u" and not isinstance(number, float)
    return (-limits.max if wraps else limits.min) <= number <= limits.max
