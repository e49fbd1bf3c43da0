"""What is recorded when a tensor is overwritten: the old value's gradient ends or is cut out."""

from __future__ import annotations

from operator import iadd, imul, ipow, isub

import numpy as np

from minigrad.core import arrays
from minigrad.core.arrays import added
from minigrad.core.dtypes import BY_NUMPY, OF_NUMBER
from minigrad.core.inplace import apply_inplace, overwrite
from minigrad.core.messages import CAST
from minigrad.core.op import Op
from minigrad.core.promotion import RANK, agreed, in_range, operands, plain
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.core.words import expected
from minigrad.ops import arithmetic as two
from minigrad.ops import elementwise as each
from minigrad.ops import messages, powers
from minigrad.ops.checks import (
    MOST,
    alike,
    alike_floats,
    check_alpha,
    check_apart,
    check_room,
    check_single,
    check_written,
    computed_in,
    free_to_write,
    spelled,
)  # fmt: skip
from minigrad.ops.copies import move
from minigrad.ops.halves import HALF
from minigrad.ops.logarithms import LogBackward0, LogitBackward0, closeness
from minigrad.ops.numbers import a_number, for_filling


class ZeroBackward0(Op):
    """zero_() saves nothing: the old value no longer matters."""

    def backward(node, grad):
        return np.zeros_like(grad)


class FillBackward2(ZeroBackward0):
    """fill_(number) saves nothing."""


class FillBackward3(Op):
    """fill_(tensor) saves nothing: the gradient is the number's now."""

    inputs = ("self", "value")
    stretched = ("value",)

    def backward(node, grad):
        for_x, for_value = node.needs_input_grad
        return np.zeros_like(grad) if for_x else None, added(grad) if for_value else None


class CopyBackwards(Op):
    """copy_(other) saves nothing: the gradient is the other's now."""

    inputs = stretched = ("self", "other")

    def name(self):
        return "torch::autograd::CopyBackwards"

    def backward(node, grad):
        return np.zeros_like(grad, order="C") if node.needs_input_grad[0] else None, grad


# -- methods --


def filled(x, value):
    """x.fill_(value): a number, or a tensor of one."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(messages.FILL.format(value._array.ndim))
        value = move(value, x.device)
        return apply_inplace(FillBackward3, x, filled_with(value), value)
    number = for_filling(value, x._array.dtype, x._array.size)
    return apply_inplace(FillBackward2, x, lambda array: number)


def filled_with(value):
    """Of a tensor of one number, unless elements lie in one place."""

    def compute(array):
        check_single(array)
        return in_kind(value)(array)

    return compute


def in_kind(other):
    """What is written of another tensor: its numbers, in the dtype they go to."""
    return lambda array: other._array.astype(array.dtype, copy=False)


def of_number(x, number):
    """A number as a tensor to be copied into `x`."""
    expected(number, (bool, int, float), "other", "Tensor")
    in_range(number, x._array.dtype)
    return wrap(np.array(number))


def copied(x, other):
    """x.copy_(other): also from another device."""
    known = other if isinstance(other, Tensor) else of_number(x, plain(other))
    source = move(known, x.device)
    # What is copied to itself PyTorch sees before all else.
    compute = (lambda array: array) if other is x else _copying(x, source)
    if x.is_floating_point():
        return apply_inplace(CopyBackwards, x, compute, source)
    overwrite(x, compute)  # of whole numbers it records nothing
    return x


def _copying(x, source):
    def compute(array):
        check_single(array)
        check_apart(x._array, source)
        check_room(x, source)
        return in_kind(source)(array)

    return compute


def overwrite_with(op, x, y, into, arguments=()):
    """x = op(x, y) in place; `into` does the same without a temporary, where the shapes allow."""
    if into and free_to_write(x, y):
        return apply_inplace(op, x, lambda array: into(array, y._array), y)
    y = plain(y)
    a, b = same_place(op, x, y)
    flat = b is y or getattr(b, "shape", None) in (a.shape, ())
    direct = into and a is x._array and a.dtype.kind == "f" and flat

    def compute(array):
        check_written(x, y, computed_in(op, a.dtype))
        return into(array, b) if direct else op.forward(a, b, *arguments)

    return apply_inplace(op, x, compute, y, arguments=arguments)


def overwrite_with_scaled(op, x, y, alpha, into):
    """x = op(x, alpha * y) in place; if it can be in blocks, as PyTorch needs no alpha * y."""
    whole = x._array.dtype is not HALF
    if (
        alpha.__class__ is float
        and alpha != 1
        and abs(alpha) < MOST
        and whole
        and free_to_write(x, y)
    ):
        compute = in_blocks(y._array, lambda part, other: into(part, other * alpha))
        return apply_inplace(op, x, compute, y, arguments=(alpha,))
    return overwrite_if_allowed(op, x, plain(y), a_number(alpha), into)


def overwrite_if_allowed(op, x, y, alpha, into):
    """The same, of whatever may be wrong."""
    alpha, dtype = check_alpha(op, x, y, alpha)
    if alpha == 1:
        return overwrite_with(op, x, y, into)
    a, b = same_place(op, x, y)

    def compute(array):
        check_written(x, y, dtype)
        if not alike(x, y):
            return op.forward(a, two.times(b, alpha, dtype))
        return in_blocks(b, lambda part, other: into(part, two.times(other, alpha, dtype)))(array)

    return apply_inplace(op, x, compute, y, arguments=(alpha,))


def in_blocks(other, into):
    """Writes `into` one part of an array after the other, so that what it makes is small."""

    def compute(array):
        for parts in arrays.blocks(array, other):
            into(*parts)
        return array

    return compute


def same_place(op, x, y):
    """The operands of one dtype, on one device."""
    if alike_floats(x, y):
        return x._array, y._array
    if isinstance(y, Tensor) and arrays.device_of(y._array) is not arrays.device_of(x._array):
        x, y = agreed(op, (x, y), TypeError())
    return operands(op, (x, y))


def write_over(op, x, *others, arguments=(), repeated=False):
    """x = op(x, *others, *arguments), in place of its old values; `repeated` ones may be, too."""
    arrays = [t._array for t in others]

    def compute(array):
        if not repeated:
            check_single(array)
        return op.forward(array, *arrays, *arguments)

    return apply_inplace(op, x, compute, *others, arguments=arguments)


def in_place(op):
    """The method of a rule that computes each element from itself."""
    return lambda x: write_over(op, x)


def _power_into(x, y):
    """x **= y of arrays; for a single exponent NumPy takes roots of its own."""
    return powers.each_power(x, y) if y.size == 1 else ipow(x, y)


def power_(x, exponent):
    """x = x ** exponent."""
    exponent = plain(exponent)
    if isinstance(exponent, Tensor):
        return overwrite_with(powers.PowBackward1, x, exponent, _power_into)
    powers.check_exponent(x, exponent)
    return write_over(powers.PowBackward0, x, arguments=(exponent,))


def logit_(x, eps=None):
    """x = x.logit(eps)."""
    eps = closeness(eps)
    if not x.is_floating_point():
        check_written(x, eps, OF_NUMBER[float])
    return write_over(LogitBackward0, x, arguments=(eps,))


def clamp_(x, min=None, max=None):
    """x = x.clamp(min, max)."""
    low, high = each.checked_bounds(min, max)
    dtype = each.clamped_in(x._array, low, high)
    if RANK[dtype.kind] > RANK[x._array.dtype.kind]:
        raise RuntimeError(CAST.format(BY_NUMPY[dtype].scalar_type, x.dtype.c_name))
    return write_over(each.ClampBackward1, x, arguments=(low, high))


@attach
class InPlace(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def add_(x, y, *, alpha=1): return overwrite_with_scaled(two.AddBackward0, x, y, alpha, iadd)
    def sub_(x, y, *, alpha=1): return overwrite_with_scaled(two.SubBackward0, x, y, alpha, isub)
    def mul_(x, y):          return overwrite_with(two.MulBackward0, x, y, imul)
    def zero_(x):            return apply_inplace(ZeroBackward0, x, lambda array: 0)
    def square_(x):          return power_(x, 2)
    # fmt: on

    neg_, exp_, log_ = map(in_place, (each.NegBackward0, each.ExpBackward0, LogBackward0))
    relu_, tanh_ = in_place(each.ReluBackward0), in_place(each.TanhBackward0)
    sigmoid_, abs_ = in_place(each.SigmoidBackward0), in_place(each.AbsBackward0)
    sin_, cos_ = in_place(each.SinBackward0), in_place(each.CosBackward0)
    sqrt_, reciprocal_ = in_place(each.SqrtBackward0), in_place(each.ReciprocalBackward0)
    fill_, copy_, pow_, clamp_, clip_ = filled, copied, power_, clamp_, clamp_
    logit_ = logit_
    __iadd__, __isub__, __imul__ = add_, sub_, mul_
    __ipow__ = spelled(pow_)
