"""+ - * / ** and their kin: two operands, and what each gradient needs of the other.

Read `saves` as the answer to: which bytes does this line of the forward keep alive?
"""

from __future__ import annotations

import operator

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import state
from minigrad.core.op import Op, gradients_wanted, record
from minigrad.core.promotion import OF_NUMBER, beside_number, in_range, operands, plain, promoted
from minigrad.core.stand_ins import StandIn
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import by_symbol, expected
from minigrad.ops import messages
from minigrad.ops.checks import check_alpha, spelled
from minigrad.ops.halves import HALF, beside_halves, floats, unrounded
from minigrad.ops.numbers import a_number


def of_floats(function):
    """The forward of a rule that is one of numpy's functions, of floats."""
    return staticmethod(lambda x: function(floats(x)))


def is_bool(value) -> bool:
    """True for a tensor of bools, and for True and False."""
    return value._array.dtype.kind == "b" if isinstance(value, Tensor) else isinstance(value, bool)


def scaled(x, alpha):
    """alpha * x, and x itself for 1."""
    return x if alpha == 1 else x * unrounded(alpha, x)


def only_floats(x, kernel: str) -> None:
    """PyTorch's kernels of this name exist for floats alone."""
    if x.dtype.kind != "f":
        raise messages.not_implemented(kernel, BY_NUMPY[x.dtype])


# -- two operands --


class Binary(Op):
    """Two operands, brought to one dtype; the second may be a Python number."""

    inputs = stretched = ("self", "other")
    promotes = True

    @staticmethod
    def check(x, y):
        """Raises what PyTorch refuses of two operands of different dtypes."""


def only_tensors(x, y) -> None:
    """A check for the functions of two tensors that take no number."""
    expected(y, Tensor, "other", "Tensor")


class AddBackward0(Binary):
    """x + y saves nothing: both gradients are the incoming one."""

    symbol = "+"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.add

    def backward(node, grad):
        (alpha,) = node.arguments
        return grad, scaled(grad, alpha) if node.needs_input_grad[1] else None


class SubBackward0(Binary):
    """x - y saves nothing."""

    symbol = "-"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.sub  # numpy refuses two bools, and then `check` says so in PyTorch's words

    @staticmethod
    def check(x, y):
        if isinstance(y, int):
            in_range(y, OF_NUMBER[int])
        bools = [is_bool(x), is_bool(y)]
        if any(bools):
            raise RuntimeError(messages.BOOL_MINUS if all(bools) else messages.MINUS_BOOL)

    def backward(node, grad):
        return grad, scaled(-grad, *node.arguments) if node.needs_input_grad[1] else None

    def peak(node, grad):
        return 2 * grad.nbytes if node.arguments[0] != 1 and node.needs_input_grad[1] else 0


class AddBackward1(Op):
    """x plus a number, where it is PyTorch's own code that adds."""

    argument_names = ("",)

    @staticmethod
    def forward(x, number):
        x, number = beside_number(AddBackward0, x, number)
        return x + number

    def backward(node, grad):
        return grad


class MulBackward1(Op):
    """x times a number, where it is PyTorch's own code that multiplies: it saves no tensor."""

    argument_names = ("other",)

    @staticmethod
    def forward(x, number):
        x, number = beside_number(MulBackward0, x, number)
        return x * unrounded(number, x)

    def backward(node, grad):
        return scaled(grad, *node.arguments)


class DivBackward1(Op):
    """A tensor over a number: it saves no tensor."""

    argument_names = ("other",)

    @staticmethod
    def forward(x, number):
        return x / unrounded(number, x)

    def backward(node, grad):
        return grad / unrounded(node.arguments[0], grad)


class RsubBackward1(Op):
    """number - x saves nothing, and has one edge only."""

    argument_names = ("", "alpha")

    @staticmethod
    def forward(x, number, alpha):
        x, number = beside_number(SubBackward0, x, number)
        return number - x

    def backward(node, grad):
        return -grad


class MulBackward0(Binary):
    """x * y saves y for x's gradient and x for y's: a factor's bytes per gradient wanted."""

    symbol = "*"
    beside = staticmethod(beside_halves)
    saves = {"self": "other", "other": "self"}

    forward = operator.mul

    def backward(node, grad, x, y):
        if grad.dtype is HALF:
            x, y = unrounded(x, grad), unrounded(y, grad)
        return None if y is None else grad * y, None if x is None else grad * x


class DivBackward0(Binary):
    """x / y saves y, and x too if y needs a gradient."""

    symbol = "/"
    beside = staticmethod(beside_halves)
    floating = True
    saves = {"self": "other", "other": "self other"}

    @staticmethod
    def forward(x, y):
        return floats(x) / (floats(y) if hasattr(y, "dtype") else y)

    def backward(node, grad, x, y):
        for_x = grad / unrounded(y, grad) if node.needs_input_grad[0] else None
        if x is None:
            return for_x, None
        if hasattr(x, "dtype") and not isinstance(x, StandIn):  # a tensor's
            x, y = promoted(x, y)
        return for_x, -grad * (x / y / y)

    def peak(node, grad, x, y):
        return 0 if x is None else 4 * grad.nbytes


def like(x, other):
    """`x` in the dtype of the other."""
    return x if x.dtype == other.dtype else x.astype(other.dtype)


def operand(x, grad):
    """A saved operand as PyTorch's kernels cast it; a tensor's own operations do so themselves."""
    return x if isinstance(x, StandIn) else like(x, grad)


class _Winner(Binary):
    """The gradient is for whichever has won: half each where they are equal, all to both at nan."""

    saves = {"self": "self other", "other": "self other"}

    def shared(node, grad, ties, *losses):
        half = np.where(ties, grad / 2, grad)
        wanted = zip(losses, node.needs_input_grad, strict=True)
        return tuple([np.where(lost, 0, half) if yes else None for lost, yes in wanted])

    def peak(node, grad, x, y):
        """Two masks, and the half that was no tie."""
        return grad.nbytes * (1 + sum(node.needs_input_grad)) + 2 * grad.size


class MaximumBackward0(_Winner):
    """max(x, y) saves both always."""

    forward = np.maximum
    check = staticmethod(only_tensors)

    def backward(node, grad, x, y):
        x, y = operand(x, grad), operand(y, grad)
        return node.shared(grad, x == y, x < y, y < x)


class MinimumBackward0(_Winner):
    """min(x, y) saves both always."""

    forward = np.minimum
    check = staticmethod(only_tensors)

    def backward(node, grad, x, y):
        x, y = operand(x, grad), operand(y, grad)
        return node.shared(grad, x == y, y < x, x < y)


class WhereBackward0(Op):
    """where(condition, x, y) saves the condition: one byte per element."""

    inputs = stretched = ("self", "other")
    extras = ("condition",)
    saves = {"condition": "self other"}
    argument_names = ("",)  # the dtype of the result

    @staticmethod
    def forward(x, y, condition, dtype):
        return np.where(condition, x.astype(dtype, copy=False), y.astype(dtype, copy=False))

    def backward(node, grad, condition):
        for_x, for_y = node.needs_input_grad
        return (
            np.where(condition, grad, 0) if for_x else None,
            np.where(condition, 0, grad) if for_y else None,
        )

    def peak(node, grad, condition):
        """The 0 is a tensor."""
        return grad.nbytes * sum(node.needs_input_grad) + grad.itemsize


# -- methods --


def with_alpha(op):
    """add(x, y, alpha) and sub(x, y, alpha): y counts alpha times."""

    def method(x, y, *, alpha=1):
        if alpha.__class__ is int and alpha == 1:
            return op.call(x, y)
        y = plain(y)
        return of_scaled(op, (x, y), alpha, x, y)

    return method


def of_scaled(op, given, alpha, x, other):
    """op(*given), of which the second counts alpha times; `x` is a tensor of the two."""
    alpha, dtype = check_alpha(op, x, other, a_number(alpha), in_place=False)
    a, b = operands(op, given)
    out = x._new(op.forward(a, times(b, alpha, dtype)).astype(dtype, copy=False))
    if (wanted := gradients_wanted(op, given)) and state.grad_enabled:
        record(op, out, given, wanted, (alpha,))
    return out


def times(b, alpha, dtype):
    """alpha * b, an array or a number, in the dtype of the result; half floats as whole ones."""
    if dtype.kind == "b":
        return b & bool(alpha)
    if type(b) in OF_NUMBER:
        b = np.array(b).astype(dtype)
        return plain(b * in_range(alpha, dtype))
    if dtype is HALF:
        return b.astype(np.float32) * HALF.type(alpha)
    return b * in_range(alpha, dtype)


def minus_from(x, number):
    """number - x."""
    SubBackward0.check(x, plain(number))
    return RsubBackward1.call(x, plain(number), 1)


def divided_by(x, y):
    """y / x, where y is a number or an array."""
    inverse = x.reciprocal()
    return inverse * y if isinstance(y, np.ndarray) else inverse.__mul__(y)


@attach
class Arithmetic(Tensor):
    """Methods of Tensor."""

    __add__ = __radd__ = by_symbol(AddBackward0.call)
    __sub__ = by_symbol(SubBackward0.call)
    add, sub = with_alpha(AddBackward0), with_alpha(SubBackward0)
    __mul__ = __rmul__ = by_symbol(MulBackward0.call)
    __truediv__, mul = by_symbol(DivBackward0.call), MulBackward0.call
    maximum, minimum = MaximumBackward0.call, MinimumBackward0.call

    __rtruediv__, __rsub__ = divided_by, spelled(minus_from)
