"""Division with a rest: // and %, fmod, and div that rounds."""

from __future__ import annotations

from operator import itruediv
from typing import Any

import numpy as np

from minigrad.core.dtypes import bool_
from minigrad.core.node import LEAVES_FIRST, NOWHERE
from minigrad.core.op import Op
from minigrad.core.promotion import beside_number, number_beside, plain, promoted, result_dtype
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import messages, reading
from minigrad.ops.arithmetic import Binary, DivBackward0
from minigrad.ops.checks import check_written, leaf_first, spelled
from minigrad.ops.halves import beside_halves, in_whole_floats
from minigrad.ops.inplace import overwrite_with, write_over


def dividing(name, function):
    """function(x, y) of arrays, where PyTorch's kernel of this name divides."""

    def compute(x, y):
        np.broadcast_shapes(np.shape(x), np.shape(y))  # which PyTorch looks at first
        if x.dtype == bool:
            raise messages.not_implemented(name, bool_)
        if x.dtype.kind != "f" and x.size and not np.all(y):
            raise reading.seen(RuntimeError("ZeroDivisionError"))
        return function(x, y)

    return compute


def _remainder(x, y):
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def _truncated(x, y):
    return np.trunc(x / y) if x.dtype.kind == "f" else (x - np.fmod(x, y)) // y


remainder = dividing("remainder_cpu", _remainder)
fmod = dividing("fmod_cpu", np.fmod)
floored = dividing("div_floor_cpu", in_whole_floats(np.floor_divide))
ROUNDED = {"floor": floored, "trunc": dividing("div_trunc_cpu", in_whole_floats(_truncated))}


def by_number(function):
    """The forward of a rule that takes a tensor and a number."""
    return staticmethod(lambda x, number: function(*beside_number(Binary, x, number)))


def of_number(function):
    """The same, with the number first."""
    return staticmethod(lambda x, number: function(*number_beside(Binary, number, x)))


class RemainderBackward1(Binary):
    """x % y: the gradient of x is the one that comes in; for that of y both are kept."""

    mode = "floor"
    saves = {"other": "other", "self": "other"}
    forward = staticmethod(remainder)

    def backward(node, grad, y, x):
        return grad, None if y is None else -grad * ROUNDED[node.mode](*promoted(x, y))

    def recorded(node, grad, y, x):
        return grad, None if y is None else -grad * x.div(y, rounding_mode=node.mode)

    def peak(node, grad, y, x):
        return 0 if y is None else 3 * grad.nbytes


class FmodBackward1(RemainderBackward1):
    """fmod(x, y), whose rest has the sign of x."""

    mode = "trunc"
    forward = staticmethod(fmod)


class RemainderBackward0(Op):
    """x % number saves nothing."""

    argument_names = ("",)
    forward = by_number(remainder)

    def backward(node, grad):
        return grad


class FmodBackward0(RemainderBackward0):
    """fmod(x, number) saves nothing."""

    forward = by_number(fmod)


class DivBackward2(Binary):
    """x / y, rounded, keeps what x / y does, though its slope is 0."""

    saves = DivBackward0.saves
    argument_names = ("rounding_mode",)
    beside = staticmethod(beside_halves)

    @staticmethod
    def forward(x, y, mode):
        return ROUNDED[mode](x, y)

    def backward(node, grad, x, y):
        return tuple([np.zeros_like(grad) if yes else None for yes in node.needs_input_grad])


def renamed(name, rule, /, **more):
    """A rule under another name."""
    return type(name, (rule,), more)


NotRounded = renamed(
    "DivBackward2",
    DivBackward0,
    argument_names=("rounding_mode",),  # which is None
    forward=staticmethod(lambda x, y, mode: DivBackward0.forward(x, y)),
)


def not_derivable(name, rule, /, **more):
    """A node that PyTorch records of what it has no derivative of, under one name for all."""

    def apply(node, grads, asked=None):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def lead(node, edges):  # to those alone that want a gradient
        alone = len(edges) == 1  # it is wanted, or there were no node: also one that is lost
        node.edges = tuple([edge for edge in edges if alone or edge is not NOWHERE])

    def note(node, order):
        node._made = order

    more |= {"apply": apply, "next_functions": property(lambda node: node.edges, lead)}
    more |= {"_order": property(lambda node: LEAVES_FIRST, note), "_made": 0}  # it runs before all
    shown = "torch::autograd::NotImplemented"
    return renamed("NotImplemented", rule, name=lambda node: shown, **more)


OF_TWO = {"forward": staticmethod(floored), "beside": staticmethod(beside_halves)}
BY_NUMBER = {"forward": by_number(floored), "argument_names": ("",)}
FloorDivide = not_derivable("floor_divide", Binary, **OF_TWO)
FloorDivideBy = not_derivable("floor_divide", Op, **BY_NUMBER)
FloorDivideInPlace = not_derivable("floor_divide_", Binary, **OF_TWO)
FloorDivideByInPlace = not_derivable("floor_divide_", Op, **BY_NUMBER)
FloorDivided = not_derivable("floor_divide", Op, forward=of_number(floored), argument_names=("",))
Divided = not_derivable("remainder", Op, forward=of_number(remainder), argument_names=("",))


# -- methods --


def either(by_tensor, by_number):
    """The method of two rules, by whether the second operand is a tensor."""

    def method(x, other):
        expected(x, Tensor, "input", "Tensor")
        rule = by_tensor if isinstance(other := plain(other), Tensor) else by_number
        return rule.call(x, other)

    return method


def written_over(by_tensor, by_number):
    """The same in place."""

    def method(x, other):
        if isinstance(other := plain(other), Tensor):
            return overwrite_with(by_tensor, x, other, None)
        check_written(x, other, result_dtype(x._array, other))
        return write_over(by_number, x, arguments=(other,))

    return method


def rounding(mode):
    """The rule of x.div(y, rounding_mode=mode)."""
    if mode is None:
        return NotRounded
    expected(mode, str, "rounding_mode", "str")
    if mode not in ROUNDED:
        raise RuntimeError(messages.ROUNDING_MODE.format(mode))
    return DivBackward2


def divide(x, other, *, rounding_mode: Any = NotRounded):
    """x / other; with rounding_mode="floor" or "trunc" a whole number."""
    if rounding_mode is NotRounded:  # nobody has given one
        return DivBackward0.call(x, other)
    return rounding(rounding_mode).call(x, plain(other), rounding_mode)


def divide_(x, other, *, rounding_mode: Any = NotRounded):
    """x = x.div(other), in place."""
    if rounding_mode is NotRounded:
        return overwrite_with(DivBackward0, x, other, itruediv)
    return _divide_rounded(x, other, rounding_mode)


@leaf_first
def _divide_rounded(x, other, mode):
    return overwrite_with(rounding(mode), x, other, None, (mode,))


@attach
class Remainders(Tensor):
    """Methods of Tensor."""

    remainder = either(RemainderBackward1, RemainderBackward0)
    fmod = either(FmodBackward1, FmodBackward0)
    floor_divide = either(FloorDivide, FloorDivideBy)
    remainder_ = written_over(RemainderBackward1, RemainderBackward0)
    fmod_ = written_over(FmodBackward1, FmodBackward0)
    floor_divide_ = written_over(FloorDivideInPlace, FloorDivideByInPlace)
    div, div_ = divide, divide_

    def true_divide(x, other):
        return divide(x, other)

    def true_divide_(x, other):
        return divide_(x, other)

    __itruediv__ = spelled(divide_)
    __mod__, __floordiv__ = spelled(remainder), spelled(floor_divide)
    __imod__, __ifloordiv__ = spelled(remainder_), spelled(floor_divide_)
    __rmod__ = spelled(lambda x, number: Divided.call(x, plain(number)))
    __rfloordiv__ = spelled(lambda x, number: FloorDivided.call(x, plain(number)))
