"""What is recorded when a tensor is overwritten: the old value's gradient ends or is cut out."""

from __future__ import annotations

from operator import iadd, imul, ipow, isub, itruediv

from minigrad.core import arrays
from minigrad.core.inplace import apply_inplace
from minigrad.core.op import Op
from minigrad.core.promotion import agreed, operands
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import arithmetic as two
from minigrad.ops import elementwise as each
from minigrad.ops import messages
from minigrad.ops.copies import move


class ZeroBackward0(Op):
    """zero_() saves nothing: the old value no longer matters."""

    def backward(node, grad):
        return grad * 0


class FillBackward2(ZeroBackward0):
    """fill_(number) saves nothing."""


class CopyBackwards(Op):
    """copy_(other) saves nothing: the gradient is the other's now."""

    inputs = stretched = ("self", "other")

    def name(self):
        return "torch::autograd::CopyBackwards"

    def backward(node, grad):
        return grad * 0 if node.needs_input_grad[0] else None, grad


class CopySlices(Op):
    """x[index] = value: the gradient of x loses that part, which goes to `value`.

    The write counts as saved, so that a second backward is refused, as PyTorch's is.
    """

    inputs = ("self", "value")
    argument_names = ("",)  # the index

    def name(self):
        return "torch::autograd::CopySlices"

    def backward(node, grad, _):
        (index,) = node.arguments
        rest = None
        if node.needs_input_grad[0]:
            rest = grad.copy()
            rest[index] = 0
        return rest, grad[index].copy() if node.needs_input_grad[1] else None


# -- methods --


def copied(x, other):
    """x.copy_(other): also from another device."""
    other = move(other, x.device)
    return apply_inplace(CopyBackwards, x, lambda array: other._array, other)


def overwrite_with(op, x, y, into):
    """x = op(x, y) in place; `into` does the same without a temporary, where the shapes allow."""
    a, b = same_place(op, x, y)
    if a is x._array and a.dtype.kind == "f" and (b is y or b.shape in (a.shape, ())):
        return apply_inplace(op, x, lambda array: into(array, b), y)
    return apply_inplace(op, x, lambda _: op.forward(a, b), y)


def alike(x, y) -> bool:
    """True for tensors of one shape, dtype and device that share no byte."""
    a, b = x._array, y._array
    same = a.__class__ is b.__class__ and a.shape == b.shape and a.dtype == b.dtype
    return same and x._storage.array is not y._storage.array


def overwrite_with_scaled(op, x, y, alpha, into):
    """x = op(x, alpha * y) in place; if it can be in blocks, as PyTorch needs no alpha * y."""
    if alpha == 1:
        return overwrite_with(op, x, y, into)
    a, b = same_place(op, x, y)

    def compute(array):
        if not (isinstance(y, Tensor) and alike(x, y)):
            return op.forward(a, two.scaled(b, alpha))
        for part, other in arrays.blocks(array, y._array):
            into(part, two.scaled(other, alpha))
        return array

    return apply_inplace(op, x, compute, y, arguments=(alpha,))


def same_place(op, x, y):
    """The operands of one dtype, on one device."""
    if isinstance(y, Tensor) and y.device != x.device:
        x, y = agreed(op, (x, y), TypeError())
    return operands(op, (x, y))


def write_over(op, x, *others, arguments=()):
    """x = op(x, *others, *arguments), in place of its old values."""
    arrays = [t._array for t in others]
    return apply_inplace(
        op, x, lambda a: op.forward(a, *arrays, *arguments), *others, arguments=arguments
    )


def in_place(op):
    """The method of a rule that computes each element from itself."""
    return lambda x: apply_inplace(op, x, op.forward)


def power_(x, exponent):
    """x = x ** exponent."""
    if isinstance(exponent, Tensor):
        return overwrite_with(two.PowBackward1, x, exponent, ipow)
    if isinstance(exponent, int) and exponent < 0 and x._array.dtype.kind == "i":
        raise RuntimeError(messages.INTEGER_POWER)
    return write_over(two.PowBackward0, x, arguments=(exponent,))


def clamp_(x, low, high):
    """x = x.clamp(low, high)."""
    whole = x._array.dtype.kind != "f"
    if whole and any(isinstance(bound, float) for bound in (low, high)):
        raise RuntimeError(messages.CLAMP_OF_WHOLE.format(x.dtype.c_name))
    if low is None and high is None:
        raise RuntimeError(messages.CLAMP_TO_NOTHING)
    return write_over(each.ClampBackward1, x, arguments=(low, high))


@attach
class InPlace(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def add_(x, y, alpha=1): return overwrite_with_scaled(two.AddBackward0, x, y, alpha, iadd)
    def sub_(x, y, alpha=1): return overwrite_with_scaled(two.SubBackward0, x, y, alpha, isub)
    def mul_(x, y):          return overwrite_with(two.MulBackward0, x, y, imul)
    def div_(x, y):          return overwrite_with(two.DivBackward0, x, y, itruediv)
    def zero_(x):            return apply_inplace(ZeroBackward0, x, lambda array: 0)
    def fill_(x, value):     return apply_inplace(FillBackward2, x, lambda array: value)
    def copy_(x, other):     return copied(x, other)
    def square_(x):          return power_(x, 2)
    def pow_(x, exponent):   return power_(x, exponent)
    def clamp_(x, min=None, max=None): return clamp_(x, min, max)
    # fmt: on

    neg_, exp_, log_ = map(in_place, (each.NegBackward0, each.ExpBackward0, each.LogBackward0))
    relu_, tanh_ = in_place(each.ReluBackward0), in_place(each.TanhBackward0)
    sigmoid_, abs_ = in_place(each.SigmoidBackward0), in_place(each.AbsBackward0)
    sin_, cos_ = in_place(each.SinBackward0), in_place(each.CosBackward0)
    sqrt_, reciprocal_ = in_place(each.SqrtBackward0), in_place(each.ReciprocalBackward0)
    clip_ = clamp_
    __iadd__, __isub__, __imul__, __itruediv__ = add_, sub_, mul_, div_
