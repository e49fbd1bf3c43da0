"""Operands of two dtypes or devices: the dtype PyTorch computes in, and its words for the rest."""

from __future__ import annotations

import numpy as np

from minigrad.core import messages
from minigrad.core.arrays import device_of
from minigrad.core.tensor import Tensor, wrap


def operands(op, given: tuple):
    """What op.forward is given: the arrays of tensors, in one dtype if it asks for that."""
    if not op.promotes:
        return [None if t is None else t._array for t in given]
    x, y = given
    if not isinstance(y, Tensor):
        return beside_number(op, x._array, y)
    a, b = x._array, y._array
    return (a, b) if a.dtype is b.dtype else promoted(a, b)


def beside_number(op, a, number):
    """An array and a number, which raises an integer to float32 if it is a float."""
    if not isinstance(number, (int, float, np.number)):
        raise TypeError(
            f"unsupported operand type(s) for {op.symbol}: 'Tensor' and '{type(number).__name__}'"
        )
    if isinstance(number, float) and a.dtype.kind != "f":
        a = a.astype(np.float32)
    return a, number


def scalar(value):
    """A Python number as the 0-d tensor that PyTorch's autograd wraps it in."""
    return wrap(np.array(value, dtype={bool: "?", int: "i8", float: "f8"}[type(value)]))


def promoted(a, b):
    """Both arrays in the common dtype: float over int over bool, and n-d over 0-d in a kind."""
    dtype = result_dtype(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def result_dtype(*arrays):
    """PyTorch's promotion: a 0-d tensor counts only if its kind (float, int, bool) is higher."""
    rank = "buif".index
    top = max(rank(a.dtype.kind) for a in arrays)
    full = [a.dtype for a in arrays if a.ndim and rank(a.dtype.kind) == top]
    chosen = full or [a.dtype for a in arrays if rank(a.dtype.kind) == top]
    return np.result_type(*chosen)


def agreed(op, given: tuple, error: Exception) -> tuple:
    """`given` on one device, if that is all that was wrong; else PyTorch's error for it."""
    tensors = [t for t in given if isinstance(t, Tensor)]
    if op.promotes and len(tensors) == 2:
        x, y = tensors
        if device_of(x._array) is not device_of(y._array):
            return together(x, y, error)
        raise messages.operand_error(x._array, y._array, error) from None
    if isinstance(error, TypeError):
        raise messages.device_error([t.device for t in tensors], error) from None
    raise error


def together(x, y, error) -> tuple:
    """Both tensors on the GPU if one of them is a 0-d tensor of the CPU: it passes for a number."""
    if not x.is_cuda and not x._array.ndim:
        return x.cuda(), y
    if not y.is_cuda and not y._array.ndim:
        return x, y.cuda()
    raise messages.device_error((x.device, y.device), error) from None
