"""Operands of two dtypes or devices: the dtype PyTorch computes in, and its words for the rest."""

from __future__ import annotations

import numpy as np

from minigrad.core import messages
from minigrad.core.arrays import cast, cast_repeated, device_of
from minigrad.core.dtypes import OF_NUMBER
from minigrad.core.tensor import Tensor, wrap
from minigrad.core.words import ask_for_nodes, exact

RANK = {"b": 0, "u": 1, "i": 1, "f": 2}  # bools, whole numbers, floats
TOO_SMALL = "can't convert negative int to unsigned"
PLAIN = frozenset((int, float, bool, str, type(None)))  # classes of most plain arguments


def operands(op, given: tuple):
    """What op.forward is given: the arrays of tensors, in one dtype if it asks for that."""
    if not op.promotes:
        return [None if t is None else t._array for t in given]
    x, y = given
    if type(x) in OF_NUMBER:
        op.check(y, x)
        return number_beside(op, x, y._array)
    op.check(x, y)
    if op.beside and (number := op.beside(x, y)) is not None:
        return x._array, number
    if not isinstance(y, Tensor):
        return beside_number(op, x._array, y)
    a, b = x._array, y._array
    if a.dtype is b.dtype or (op.floating and "f" not in a.dtype.kind + b.dtype.kind):
        return a, b  # of whole numbers such a rule makes floats itself
    return promoted(a, b)


def beside_number(op, a, number):
    """An array and a Python number, in the dtype that PyTorch computes in."""
    if type(number) not in OF_NUMBER:
        raise TypeError(
            f"unsupported operand type(s) for {op.symbol}: 'Tensor' and '{type(number).__name__}'"
        )
    dtype = OF_NUMBER[type(number)]
    if RANK[a.dtype.kind] >= RANK[dtype.kind]:
        return a, in_range(number, OF_NUMBER[float] if op.floating else a.dtype)
    found = in_range(number, dtype)
    if dtype.kind == "i" and number >= 2**63:
        raise RuntimeError(messages.UINT64)
    return cast(a, dtype), found


def number_beside(op, number, a) -> tuple:
    """The same the other way round, the number with a dtype, as rules ask the first for it."""
    a, number = beside_number(op, a, number)
    kind = OF_NUMBER[float] if op.floating and a.dtype.kind != "f" else a.dtype
    return kind.type(number), a


def plain(value):
    """A scalar of numpy as the Python number that PyTorch takes it for, and one of a class of a
    program's own as Python's own: see words.exact; anything else as it is."""
    number = np.generic.item(value) if isinstance(value, np.generic) else exact(value)
    return float(number) if isinstance(value, np.bool_) else number


def number_of(value):
    """The same, also of a tensor of one number, if none of its gradient would be lost."""
    alone = isinstance(value, Tensor) and not value._array.ndim and not value._requires_grad
    return value.item() if alone else plain(value)


def settled(arguments: tuple) -> tuple:
    """Plain arguments with Python's numbers for others: a tensor may be written to before backward
    reads it.
    """
    for one in arguments:
        several = one.__class__ is tuple and PLAIN.issuperset(map(type, one))
        if not (several or one.__class__ in PLAIN):
            return tuple(map(_settled, arguments))
    return arguments


def _settled(one):
    return settled(one) if one.__class__ is tuple else number_of(one)


def in_range(number, dtype):
    """The number; of a whole one as much as there is room for: 300 is 44 to a uint8."""
    if type(number) is not int:
        return number
    if not -(2**63) <= number < 2**64:
        raise OverflowError(TOO_SMALL if number < 0 else "int too big to convert")
    return number if dtype.kind == "f" else int(np.uint64(number % 2**64).astype(dtype))


def scalar(value):
    """A Python number as the 0-d tensor that PyTorch's autograd wraps it in."""
    return wrap(np.array(value, dtype={bool: "?", int: "i8", float: "f8"}[type(value)]))


def promoted(a, b):
    """Both arrays in the common dtype: float over int over bool, and n-d over 0-d in a kind."""
    dtype = result_dtype(a, b)
    ways = zip((a, b), (cast, cast_repeated), strict=True)
    return [array if array.dtype is dtype else way(array, dtype) for array, way in ways]


def result_dtype(*values):
    """PyTorch's promotion: of the highest kind n-d arrays count, else 0-d ones, else numbers."""
    dtypes = [getattr(v, "dtype", None) or OF_NUMBER[type(v)] for v in values]
    if len(set(dtypes)) == 1:
        return dtypes[0]
    given = zip(dtypes, values, strict=True)
    weights = [(RANK[dtype.kind], min(getattr(v, "ndim", -1), 1)) for dtype, v in given]
    return np.result_type(*[d for d, w in zip(dtypes, weights, strict=True) if w == max(weights)])


def agreed(op, given: tuple, error: Exception) -> tuple:
    """`given` with Python's numbers and on one device, if that will do; else PyTorch's error."""
    exactly = tuple(map(plain, given))
    if any(one is not other for one, other in zip(exactly, given, strict=True)):
        return exactly
    tensors = [t for t in given if isinstance(t, Tensor)]
    ask_for_nodes(*tensors)
    if op.promotes and len(tensors) == 2:
        x, y = tensors
        if device_of(x._array) is not device_of(y._array):
            return together(x, y, error)
        if isinstance(error, ValueError):
            raise messages.broadcast_error(x._array.shape, y._array.shape) from None
    try:
        if isinstance(error, TypeError):
            raise messages.device_error([t.device for t in tensors], error) from None
        raise error
    finally:
        del error  # or its traceback would hold it, and what this function was given


def together(x, y, error) -> tuple:
    """Both tensors on the GPU if one of them is a 0-d tensor of the CPU: it passes for a number."""
    if not x.is_cuda and not x._array.ndim:
        return x.cuda(), y
    if not y.is_cuda and not y._array.ndim:
        return x, y.cuda()
    raise messages.device_error((x.device, y.device), error) from None
