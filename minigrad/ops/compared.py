"""Comparisons and logic, which have no gradient."""

from __future__ import annotations

import math
import numbers

import numpy as np

from minigrad.core.dtypes import BY_NUMPY, bool_
from minigrad.core.promotion import agreed, operands
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import Binary, only_tensors
from minigrad.ops.checks import spelled
from minigrad.ops.creation import from_numpy, zeros_like


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

    return method, spelled(method)


EQ, _equals = compare(np.equal)
NE, _differs = compare(np.not_equal)


def equals(x, y):
    """x == y; the one operator that takes an array for a tensor, as in PyTorch."""
    array = isinstance(y, np.ndarray) and y.dtype in BY_NUMPY
    return _equals(x, from_numpy(y) if array else known(y))


def differs(x, y):
    """x != y."""
    return _differs(x, known(y))


def known(y):
    """The other side: Python would compare the identity of a kind that minigrad does not know."""
    if isinstance(y, complex):
        raise NotImplementedError("minigrad has no complex numbers")
    return y


def logical(function):
    """A question about two tensors, in which a number is true if it is not zero."""

    def method(x, y):
        only_tensors(x, y)
        return without_gradient(function, x, y)

    return method


def isinf(x):
    """Where a number is inf or -inf; whole numbers and bools never are."""
    if not x.is_floating_point():
        return zeros_like(x, dtype=bool_)
    return x.detach().abs() == math.inf


def positive(x):
    """+x: itself."""
    if x._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


def holds(x, y) -> bool:
    """y in x: is any of its numbers equal to it?"""
    if not isinstance(y, (Tensor, numbers.Number)):
        raise RuntimeError(messages.CONTAINS.format(type(y)))
    return bool((y == x).any())


@attach
class Compared(Tensor):
    """Methods of Tensor."""

    __pos__ = positive
    logical_and, logical_or = logical(np.logical_and), logical(np.logical_or)
    logical_xor, isinf = logical(np.logical_xor), isinf

    # fmt: off
    def __contains__(x, y): return holds(x, y)
    def logical_not(x): return x.eq(0)
    def isnan(x):       return x.ne(x)
    # fmt: on

    eq, __eq__ = EQ, equals
    ne, __ne__ = NE, differs
    lt, __lt__ = compare(np.less)
    le, __le__ = compare(np.less_equal)
    gt, __gt__ = compare(np.greater)
    ge, __ge__ = compare(np.greater_equal)

    def __hash__(x):
        return id(x)
