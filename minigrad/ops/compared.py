"""Operations that have no gradient here: comparisons, logic, bits, division without a rest."""

from __future__ import annotations

import math
import operator

import numpy as np

from minigrad.core.dtypes import BY_NUMPY, bool_
from minigrad.core.promotion import agreed, operands
from minigrad.core.tensor import Tensor, attach, recording
from minigrad.ops import messages, reading
from minigrad.ops.arithmetic import Binary, only_tensors
from minigrad.ops.creation import zeros_like


def without_gradient(function, x, y):
    """function(x, y) as a tensor outside of every graph."""
    try:
        result = function(*operands(Binary, (x, y)))
    except (TypeError, ValueError) as error:
        return without_gradient(function, *agreed(Binary, (x, y), error))
    return x._new(result)


def compare(function):
    """A comparison, whose result is a tensor of bools: as a method, and as an operator."""

    def method(x, y):
        return without_gradient(function, x, y)

    def spelled(x, y):
        return method(x, y) if known(y) else NotImplemented

    return method, spelled


def known(y) -> bool:
    """Is it an operand? Of another thing Python says so, with the symbol that was written."""
    return isinstance(y, (Tensor, int, float, np.generic))


def whole(function, name):
    """An operation on numbers that has no gradient here: an error if one would be wanted."""

    compute = checked(function, name)

    def method(x, y):
        if recording([t for t in (x, y) if isinstance(t, Tensor)]):
            raise NotImplementedError(
                f"minigrad has no gradient of {function.__name__}; detach() the tensors first"
            )
        return without_gradient(compute, x, y)

    return method


def checked(function, name):
    """function(x, y) of arrays, where PyTorch's kernel of this name divides."""

    def compute(x, y):
        np.broadcast_shapes(x.shape, np.shape(y))  # which PyTorch looks at first
        if x.dtype == bool:
            raise messages.not_implemented(name, bool_)
        if x.dtype.kind != "f" and x.size and not np.all(y):
            raise reading.seen(RuntimeError("ZeroDivisionError"))
        return function(x, y)

    return compute


def bitwise(function, name):
    """An operation on the bits of whole numbers and of bools."""

    def compute(x, y):
        if x.dtype.kind == "f":
            np.broadcast_shapes(x.shape, np.shape(y))  # which PyTorch looks at first
            raise messages.not_implemented(name, BY_NUMPY[x.dtype])
        return function(x, y)

    return lambda x, y: without_gradient(compute, x, y) if known(y) else NotImplemented


def logical(function):
    """A question about two tensors, in which a number is true if it is not zero."""
    check = only_tensors(function.__name__)

    def method(x, y):
        check(x, y)
        return without_gradient(function, x, y)

    return method


def isinf(x):
    """Where a number is inf or -inf; whole numbers and bools never are."""
    if not x.is_floating_point():
        return zeros_like(x, dtype=bool_)
    return x.detach().abs() == math.inf


def inverted(x):
    """~x: of a bool the other one, of an integer all its bits."""
    if x._array.dtype.kind == "f":
        raise TypeError(messages.INVERT)
    return x._new(~x._array)


def positive(x):
    """+x: itself."""
    if x._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


@attach
class Compared(Tensor):
    """Methods of Tensor."""

    __invert__, __pos__ = inverted, positive
    __floordiv__ = whole(np.floor_divide, "div_floor_cpu")
    __mod__ = whole(np.mod, "remainder_cpu")
    __and__ = __rand__ = bitwise(operator.and_, "bitwise_and_cpu")
    __or__ = __ror__ = bitwise(operator.or_, "bitwise_or_cpu")

    logical_and, logical_or = logical(np.logical_and), logical(np.logical_or)
    logical_xor, isinf = logical(np.logical_xor), isinf

    # fmt: off
    def logical_not(x): return x.eq(0)
    def isnan(x):       return x.ne(x)
    # fmt: on

    eq, __eq__ = compare(np.equal)
    ne, __ne__ = compare(np.not_equal)
    lt, __lt__ = compare(np.less)
    le, __le__ = compare(np.less_equal)
    gt, __gt__ = compare(np.greater)
    ge, __ge__ = compare(np.greater_equal)
    __hash__ = object.__hash__
