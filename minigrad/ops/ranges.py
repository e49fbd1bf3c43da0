"""arange(), linspace() and full(): new leaves whose numbers must fit their dtype."""

from __future__ import annotations

import functools
import math

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import bool_, get_default_dtype, int64
from minigrad.core.promotion import in_range
from minigrad.core.tensor import Tensor, wrap
from minigrad.core.words import expected
from minigrad.ops import messages
from minigrad.ops.creation import as_laid_out, checked, filled
from minigrad.ops.numbers import a_number, converted, for_filling
from minigrad.ops.shapes import whole


def arange(start=None, end=None, step=None, *, dtype=None, requires_grad=False, device=None):
    """start, start + step, ... below end; integers if all three are."""
    if start is None or end is None:
        if step is not None or start is end:
            raise TypeError("arange() received an invalid combination of arguments: no end")
        start, end = 0, end if start is None else start
    start, end, step = (a_number(n, "end") for n in (start, end, 1 if step is None else step))
    dtype = dtype or _dtype_of(start, end, step)
    if dtype is bool_:
        raise messages.not_implemented("arange_cpu", bool_)
    _check_range(start, end, step)
    numbers = _range(start, end, step, dtype.numpy)
    return wrap(backend.placed(numbers, device), requires_grad)


def _dtype_of(*numbers):
    return int64 if all(isinstance(n, int) for n in numbers) else get_default_dtype()


def _range(start, end, step, dtype):
    """The numbers of a range; whole ones are counted in whole steps."""
    if dtype == np.int64:
        start, end, step = (converted(n, dtype) for n in (start, end, step))
        if step == 0:
            raise ValueError("step must be nonzero")
    numbers = np.arange(start, end, step)[: 0 if math.isinf(step) else None]
    if dtype.kind != "f":
        start, step = (converted(n, np.dtype(np.int64)) for n in (start, step))
        numbers = start + step * np.arange(len(numbers))
    return numbers.astype(dtype)


def _check_range(start, end, step) -> None:
    """A step must lead from start to end."""
    if not (step > 0 or step < 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def linspace(start, end, steps, *, dtype=None, requires_grad=False, device=None):
    """`steps` numbers at equal distances from start to end, both included."""
    dtype, (start, end) = dtype or get_default_dtype(), map(_known, (start, end))
    if whole(steps, "steps") < 0:
        raise RuntimeError("number of steps must be non-negative")
    if steps < 2:
        how = {"dtype": dtype, "requires_grad": requires_grad, "device": device}
        return full((steps,), start if steps else 0, **how)
    if dtype is bool_:
        raise messages.not_implemented("linspace_cpu", bool_)
    if dtype.numpy.kind in "iu":
        start, end = converted(start, dtype.numpy), converted(end, dtype.numpy)
    return wrap(backend.placed(_ends(start, end, steps, dtype.numpy), device), requires_grad)


def _known(end):
    """An end of linspace(): PyTorch takes tensors, too, of which it needs no gradient."""
    return a_number(end.detach() if isinstance(end, Tensor) else end)


def _ends(start, end, steps, dtype):
    """As PyTorch counts: in the dtype, whole numbers in float64, and each half from its end."""
    start, end = np.array([start, end]).astype(dtype if dtype.kind == "f" else np.float64)
    step = (end - start) / start.dtype.type(steps - 1)
    places = np.arange(steps).astype(start.dtype)
    first, last = places[: steps // 2], places[: steps - steps // 2][::-1]
    with np.errstate(all="ignore"):
        halves = [_rounded_once(first, step, start), _rounded_once(-last, step, end)]
        return np.concatenate(halves).astype(dtype)


def _rounded_once(x, y, z):
    """x * y + z in one instruction: the product is not rounded before it is added."""
    if z.dtype == np.float32:
        return (x.astype(np.float64) * y + z).astype(z.dtype)
    product = x * y
    total = product + z
    if z.dtype == np.float16:
        return total
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    lost = x_low * y_low - (product - x_high * y_high - x_low * y_high - x_high * y_low)
    of_z = total - product
    lost = lost + (product - (total - of_z)) + (z - of_z)
    return total + np.where(np.isfinite(lost), lost, 0)


def _halves(x):
    """Two numbers of half the digits, whose sum is x: products of such have no error."""
    high = x * 134217729.0
    high -= high - x
    return high, x - high


def full(shape, fill_value, *, dtype=None, requires_grad=False, device=None):
    """All elements `fill_value`."""
    expected(shape, (tuple, list), "size", "tuple of ints")
    value = a_number(fill_value)
    in_range(value, np.dtype(float))
    checked("full", shape)
    dtype = dtype or {float: get_default_dtype(), bool: bool_}.get(type(value), int64)
    value = for_filling(value, dtype.numpy, math.prod(shape))
    return filled("full", (shape,), value, dtype, requires_grad, device)


def full_like(x, fill_value, *, dtype=None, requires_grad=False, device=None, memory_format=None):
    """full() with the shape, dtype and device of `x`."""
    how = {"requires_grad": requires_grad, "device": device or x.device}
    maker = functools.partial(full, fill_value=fill_value)
    return as_laid_out(x, maker, memory_format, dtype=dtype or x.dtype, **how)
