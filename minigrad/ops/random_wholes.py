"""Whole numbers by chance: randint(), and the order of randperm(); what has no room is refused."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import bool_, int64, uint8
from minigrad.core.frames import warn
from minigrad.core.tensor import wrap
from minigrad.core.words import wrong_kind
from minigrad.ops import generator as source
from minigrad.ops import messages
from minigrad.ops.creation import checked
from minigrad.ops.numbers import long_long
from minigrad.ops.shapes import whole_like

FEW_DIGITS = (
    "{0} is out of bounds [-(2^{1}), 2^{1}]. Due to precision limitations {2} can support discrete "
    "uniform distribution only within this range. This warning will become an error in version 1.7 "
    "release, please fix the code in advance"
)


def _given(low, high, size) -> tuple:
    """Both bounds and the size, where they may come as (high, size) or (low, high, size)."""
    if size is None and isinstance(high, (tuple, list)):
        low, high, size = None, low, high
    if not isinstance(size, (tuple, list)):
        raise wrong_kind("size", "tuple of ints", high if size is None else size)
    if high is None:
        low, high = None, low
    return 0 if low is None else whole_like(low, "low"), whole_like(high, "high"), size


def _bounds(low, high, size) -> tuple:
    """The same, if numbers can be drawn by them."""
    low, high, size = _given(low, high, size)
    checked("randint", size)
    long_long(low, high)
    if low >= high:
        raise RuntimeError(messages.RANDOM_BOUNDS.format(low, high))
    return low, high, tuple(size)


def _check_room(low, high, dtype) -> None:
    """Whole numbers from `low` to `high - 1` must have room in this dtype, and keep their digits
    should they."""
    ends = {"from": low, "to - 1": high - 1}
    floats = dtype.is_floating_point
    most = 1 if dtype is bool_ else (np.finfo if floats else np.iinfo)(dtype.numpy).max
    least = 0 if dtype in (bool_, uint8) else -most - (not floats)
    for name, end in ends.items():
        if not least <= end <= most:
            raise RuntimeError(f"{name} is out of bounds for {dtype.c_name}")
    for name, end in ends.items() if floats else ():
        if abs(end) > 2 ** (digits := np.finfo(dtype.numpy).nmant + 1):
            warn(FEW_DIGITS.format(name, digits, dtype.c_name))


def randint(
    low=None, high=None, size=None, *, generator=None, dtype=None, requires_grad=False, device=None
):
    """Whole numbers from `low`, or 0, up to `high`, which is not among them."""
    low, high, size = _bounds(low, high, size)
    _check_room(low, high, dtype := dtype or int64)
    numbers = source.drawn("random", size, np.dtype(np.float64), device, generator)
    whole = (numbers * (high - low)).astype(np.uint64).astype(np.int64) + low
    return wrap(whole.astype(dtype.numpy, copy=False), requires_grad)


def randperm(n, *, generator=None, dtype=None, requires_grad=False, device=None):
    """0 to n - 1 in random order."""
    n = whole_like(n, "n")
    if n < 0:
        raise RuntimeError(messages.NEGATIVE_LENGTH.format(n, [n]))
    if dtype is bool_:
        raise messages.not_implemented("randperm", bool_)
    _check_length(n, dtype := dtype or int64)
    order = np.argsort(source.drawn("random", (n,), np.dtype(np.float64), device, generator))
    return wrap(order.astype(dtype.numpy, copy=False), requires_grad)


def _check_length(n: int, dtype) -> None:
    """0 to n - 1 are n different numbers in this dtype."""
    if dtype.is_floating_point:
        if n > (most := 2 ** (np.finfo(dtype.numpy).nmant + 1) + 1):
            raise RuntimeError(f"n cannot be greater than {most} for {dtype.scalar_type} type.")
    elif n > np.iinfo(dtype.numpy).max + 1:
        name = "uint8_t" if dtype is uint8 else dtype.c_name
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
