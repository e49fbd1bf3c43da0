"""+ - * / ** and their kin: two operands, and what each gradient needs of the other.

Read `saves` as the answer to: which bytes does this line of the forward keep alive?
"""

from __future__ import annotations

import operator

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import state
from minigrad.core.op import Op, gradients_wanted, record
from minigrad.core.promotion import agreed, operands
from minigrad.core.tensor import Tensor, attach, recording
from minigrad.ops import messages


def floats(x):
    """Integers become float32 where PyTorch's do: in functions that are not closed over them."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


def scaled(x, alpha):
    """alpha * x, and x itself for 1."""
    return x if alpha == 1 else x * alpha


def only_floats(x, kernel: str) -> None:
    """PyTorch's kernels of this name exist for floats alone."""
    if x.dtype.kind != "f":
        kind = "Bool" if x.dtype == bool else BY_NUMPY[x.dtype].scalar_type
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")


# -- two operands --


class Binary(Op):
    """Two operands, brought to one dtype; the second may be a Python number."""

    inputs = stretched = ("self", "other")
    promotes = True


class AddBackward0(Binary):
    """x + y saves nothing: both gradients are the incoming one."""

    symbol = "+"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.add

    def backward(node, grad):
        return grad, scaled(grad, *node.arguments)


class SubBackward0(Binary):
    """x - y saves nothing."""

    symbol = "-"
    argument_names, arguments = ("alpha",), (1,)

    forward = operator.sub

    def backward(node, grad):
        return grad, scaled(-grad, *node.arguments) if node.needs_input_grad[1] else None


class RsubBackward1(Op):
    """number - x saves nothing, and has one edge only."""

    argument_names = ("", "alpha")

    @staticmethod
    def forward(x, number, alpha):
        if x.dtype == bool:
            raise RuntimeError(messages.BOOL_NEGATED.format("Subtraction", "with"))
        return number - x

    def backward(node, grad):
        return -grad


class MulBackward0(Binary):
    """x * y saves y for x's gradient and x for y's: a factor's bytes per gradient wanted."""

    symbol = "*"
    saves = {"self": "other", "other": "self"}

    forward = operator.mul

    def backward(node, grad, x, y):
        return None if y is None else grad * y, None if x is None else grad * x


class DivBackward0(Binary):
    """x / y saves y, and x too if y needs a gradient."""

    symbol = "/"
    saves = {"self": "other", "other": "self other"}

    @staticmethod
    def forward(x, y):
        return floats(x) / (floats(y) if hasattr(y, "dtype") else y)

    def backward(node, grad, x, y):
        return grad / y, None if x is None else -grad * (x / y / y)


class PowBackward0(Op):
    """x ** number saves x, even for the exponents 1 and 0."""

    saves = {"self": "self"}
    argument_names = ("exponent",)

    @staticmethod
    def forward(x, exponent):
        return (floats(x) if isinstance(exponent, float) else x) ** exponent

    def backward(node, grad, x):
        (exponent,) = node.arguments
        return grad * (exponent * x ** (exponent - 1)) if exponent else np.zeros_like(x)


class PowBackward1(Binary):
    """x ** y saves everything: x, y and the result."""

    inputs = stretched = ("self", "exponent")
    saves = {"self": "self exponent", "exponent": "self exponent", "result": "self exponent"}

    forward = operator.pow

    def backward(node, grad, x, y, result):
        for_x, for_y = node.needs_input_grad
        flat = (x == 0) & (y >= 0)  # 0 ** y has slope 0 in y for y >= 0
        return (
            np.where(y == 0, 0, grad * (y * x ** (y - 1))) if for_x else None,
            grad * np.where(flat, 0, result * np.log(x)) if for_y else None,
        )


class PowBackward2(Op):
    """number ** x saves x and the result."""

    saves = {"exponent": "exponent", "result": "exponent"}
    inputs = ("exponent",)
    argument_names = ("self",)

    @staticmethod
    def forward(x, base):
        return base ** (x if isinstance(base, int) else floats(x))

    def backward(node, grad, x, result):
        (base,) = node.arguments
        slope = result * float(np.log(base))
        return grad * (slope if base else np.where(x >= 0, 0, slope))


def shared_win(grad, x, y) -> tuple:
    """The gradient for whichever is larger; half each where they are equal."""
    half = np.where(x == y, grad / 2, grad)
    return np.where(x >= y, half, 0), np.where(y >= x, half, 0)


class MaximumBackward0(Binary):
    """max(x, y) saves both always; where they are equal, each gets half."""

    saves = {"self": "self other", "other": "self other"}

    forward = np.maximum

    def backward(node, grad, x, y):
        return shared_win(grad, x, y)


class MinimumBackward0(Binary):
    """min(x, y) saves both always; where they are equal, each gets half."""

    saves = {"self": "self other", "other": "self other"}

    forward = np.minimum

    def backward(node, grad, x, y):
        return shared_win(grad, y, x)


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
        return np.where(condition, grad, 0), np.where(condition, 0, grad)


# -- methods --


def with_alpha(op):
    """add(x, y, alpha) and sub(x, y, alpha): y counts alpha times."""

    def method(x, y, *, alpha=1):
        if alpha == 1:
            return op.call(x, y)
        a, b = operands(op, (x, y))
        out = x._new(op.forward(a, scaled(b, alpha)))
        if (wanted := gradients_wanted(op, (x, y))) and state.grad_enabled:
            record(op, out, (x, y), wanted, (alpha,))
        return out

    return method


def power(x, y):
    """x ** y: three rules, by which of the two is a tensor."""
    if isinstance(y, Tensor):
        return PowBackward1.call(x, y)
    if isinstance(y, int) and y < 0 and x._array.dtype.kind == "i":
        raise RuntimeError(messages.INTEGER_POWER)
    return PowBackward0.call(x, y)


def without_gradient(function, x, y):
    """function(x, y) as a tensor outside of every graph."""
    try:
        result = function(*operands(Binary, (x, y)))
    except (TypeError, ValueError) as error:
        return without_gradient(function, *agreed(Binary, (x, y), error))
    return x._new(result)


def compare(function):
    """A comparison, whose result is a tensor of bools."""

    def method(x, y):
        known = isinstance(y, (Tensor, int, float))
        return without_gradient(function, x, y) if known else NotImplemented

    return method


def whole(function):
    """An operation on numbers that has no gradient here: an error if one would be wanted."""

    def method(x, y):
        if recording([t for t in (x, y) if isinstance(t, Tensor)]):
            raise NotImplementedError(
                f"minigrad has no gradient of {function.__name__}; detach() the tensors first"
            )
        return without_gradient(function, x, y)

    return method


@attach
class Arithmetic(Tensor):
    """Methods of Tensor."""

    __add__ = __radd__ = AddBackward0.call
    __sub__ = SubBackward0.call
    add, sub = with_alpha(AddBackward0), with_alpha(SubBackward0)
    __mul__ = __rmul__ = mul = MulBackward0.call
    __truediv__ = div = DivBackward0.call
    __pow__ = pow = power
    maximum, minimum = MaximumBackward0.call, MinimumBackward0.call

    # fmt: off
    def __rsub__(x, y):      return RsubBackward1.call(x, y, 1)
    def __rtruediv__(x, y):  return x.reciprocal() * y
    def __rpow__(x, y):      return PowBackward2.call(x, y)
    def square(x):           return PowBackward0.call(x, 2)
    def __invert__(x):       return x._new(~x._array)
    # fmt: on

    __floordiv__, __mod__ = whole(np.floor_divide), whole(np.mod)
    __and__, __or__ = whole(np.logical_and), whole(np.logical_or)

    __eq__ = eq = compare(np.equal)
    __ne__ = ne = compare(np.not_equal)
    __lt__ = lt = compare(np.less)
    __le__ = le = compare(np.less_equal)
    __gt__ = gt = compare(np.greater)
    __ge__ = ge = compare(np.greater_equal)
    __hash__ = object.__hash__
