"""Lists of numbers as tensor() reads them: the first of each level says how long all are."""

from __future__ import annotations

import operator

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.frames import warn
from minigrad.core.promotion import OF_NUMBER, RANK
from minigrad.core.tensor import Tensor
from minigrad.ops.numbers import fits, long_long

TEXTS = (str, bytes)
LEVELS = 64  # which is what numpy can have
OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider "
    "converting the list to a single numpy.ndarray with numpy.array() before converting to a "
    "tensor."
)
NOT_ONE = "only one element tensors can be converted to Python scalars"


def array_of(data, dtype=None):
    """The numbers in nested lists as a new array, of numpy's `dtype` or of one that has room."""
    if isinstance(data, TEXTS):
        raise no_number(data)
    shape = lengths(data)
    dtype = dtype or asked(data)
    rows = data if shape else [data]
    found = [] if 0 in shape else numbers(rows, shape or (1,), dtype)
    between = BETWEEN.get((dtype.kind, dtype.itemsize), dtype)
    return np.array(found, between).astype(dtype, copy=False).reshape(shape)


def asked(data):
    """numpy's dtype in which there is room for all of these; TypeError for what is no number."""
    if isinstance(data, Tensor):
        return data._array.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return known(data.dtype)
    for kind, dtype in OF_NUMBER.items():
        if isinstance(data, kind):
            return dtype
    if isinstance(data, TEXTS) or not is_row(data):
        raise no_number(data)
    return widest({one.__class__ if one.__class__ in OF_NUMBER else asked(one) for one in data})


def no_number(data) -> Exception:
    """The error of a text among the data, or of what is nothing like a number."""
    kind = type(data).__name__
    if isinstance(data, TEXTS):
        return TypeError(f"new(): invalid data type '{kind}'")
    return RuntimeError(f"Could not infer dtype of {kind}")


def widest(kinds: set):
    """The dtype for all of these, dtypes and Python's classes: of the highest kind that it has."""
    dtypes = [OF_NUMBER.get(kind, kind) for kind in kinds] or [OF_NUMBER[float]]
    highest = max(RANK[dtype.kind] for dtype in dtypes)
    return np.result_type(*[dtype for dtype in dtypes if RANK[dtype.kind] == highest])


def known(dtype):
    """numpy's dtype itself; an error if it is not of numbers, or minigrad has none like it."""
    if dtype.kind not in "biufc":
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported "
            f"types are: {', '.join(map(str, BY_NUMPY))}."
        )
    if dtype not in BY_NUMPY:
        raise NotImplementedError(f"minigrad has no tensors of numpy's {dtype}: use array.astype()")
    return dtype


def is_row(data) -> bool:
    """Is it several, in an order? A tensor in a list is one number."""
    if data.__class__ in OF_NUMBER:
        return False
    several = any("__getitem__" in vars(one) for one in type(data).__mro__)  # no Enum's class
    return several and not isinstance(data, (Tensor, dict, np.generic))


def lengths(data) -> tuple:
    """How many there are in each level, as far down as the first one goes."""
    shape: tuple = ()
    while is_row(data):
        shape += (len(data),)
        if len(shape) > LEVELS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return shape


def numbers(data, shape, dtype, level=0) -> list:
    """What stands in the last level, converted; ValueError for a row of another length."""
    if isinstance(data, np.ndarray) and level:
        warn(OF_ARRAYS)
    row = in_order(data)
    if len(row) != shape[level]:
        wanted = f"expected sequence of length {shape[level]} at dim {level}"
        raise ValueError(f"{wanted} (got {len(row)})")
    if level + 1 < len(shape):
        return [n for one in row for n in numbers(one, shape, dtype, level + 1)]
    convert = CONVERT[dtype.kind]
    return row if is_easy(row, dtype) else [convert(n, dtype) for n in row]


def in_order(data) -> list:
    """The members of whatever has some."""
    try:
        return list(data)
    except TypeError:
        raise TypeError("not a sequence") from None


def is_easy(row, dtype) -> bool:
    """Are they numbers of Python's, and so small, that numpy converts them as PyTorch does?"""
    if not EASY[dtype.kind].issuperset(map(type, row)):
        return False
    return dtype.kind in "bf" or (fits(min(row), dtype) and fits(max(row), dtype))


def as_float(n, dtype) -> float:
    """The float of whatever has one; ValueError for a tensor of several."""
    if isinstance(n, TEXTS):  # from which Python would read one
        raise TypeError(f"must be real number, not {type(n).__name__}")
    if isinstance(n, Tensor) and n._array.size != 1:
        raise ValueError(NOT_ONE)
    return float(n)


def as_truth(n, dtype) -> bool:
    """True unless it is 0."""
    return bool(n if isinstance(n, (float, np.bool_)) else operator.index(n))


def as_whole(n, dtype) -> int:
    """A float without its fraction, or a whole number; RuntimeError if the dtype has no room."""
    n = n if isinstance(n, float) else operator.index(n)
    long_long(n)
    if not fits(n, dtype):
        name = BY_NUMPY[dtype].name
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return int(n)


BETWEEN = {("f", 2): np.float32, ("u", 1): np.int64}  # half numbers are rounded twice, bytes wrap
EASY: dict[str, set] = {"f": {float, bool}, "b": {float, bool}, "u": {int, bool}, "i": {int, bool}}
CONVERT = {"f": as_float, "b": as_truth, "u": as_whole, "i": as_whole}
