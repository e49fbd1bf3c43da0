"""& | ^ ~ << >>: the bits of whole numbers and of bools, which have no gradient."""

from __future__ import annotations

import operator

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.promotion import beside_number, plain
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.ops import messages
from minigrad.ops.arithmetic import Binary
from minigrad.ops.checks import spelled
from minigrad.ops.compared import without_gradient
from minigrad.ops.inplace import overwrite_with


def bitwise(function, name, refused="f"):
    """An operation on bits, and the one that overwrites; kinds that PyTorch's kernel has not."""

    def compute(x, y):
        if x.dtype.kind in refused:
            np.broadcast_shapes(x.shape, np.shape(y))  # which PyTorch looks at first
            raise messages.not_implemented(name, BY_NUMPY[x.dtype])
        return function(x, y)

    rule = type(name, (Binary,), {"forward": staticmethod(compute)})
    return (
        spelled(lambda x, y: without_gradient(compute, x, y)),
        spelled(lambda x, y: overwrite_with(rule, x, y, compute)),
    )


def shifted(function, name):
    """x << y, x <<= y, and number << x."""
    shift, into = bitwise(function, name, "fb")

    def of_number(x, number):
        x, number = beside_number(Binary, x._array, plain(number))
        return shift(wrap(np.asarray(number, x.dtype)), wrap(x))

    return shift, into, spelled(of_number)


def inverted(x):
    """~x: of a bool the other one, of an integer all its bits."""
    if x._array.dtype.kind == "f":
        raise TypeError(messages.INVERT)
    return x._new(~x._array)


@attach
class Bits(Tensor):
    """Methods of Tensor."""

    __invert__ = inverted
    __and__, __iand__ = bitwise(operator.and_, "bitwise_and_cpu")
    __or__, __ior__ = bitwise(operator.or_, "bitwise_or_cpu")
    __xor__, __ixor__ = bitwise(operator.xor, "bitwise_xor_cpu")
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __lshift__, __ilshift__, __rlshift__ = shifted(operator.lshift, "lshift_cpu")
    __rshift__, __irshift__, __rrshift__ = shifted(operator.rshift, "rshift_cpu")
