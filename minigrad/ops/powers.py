"""Powers: of a tensor to a number, to a tensor, and of a number to a tensor."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.dtypes import bool_
from minigrad.core.op import Op
from minigrad.core.promotion import beside_number, plain, result_dtype
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.arithmetic import Binary, is_bool
from minigrad.ops.checks import spelled
from minigrad.ops.halves import unrounded
from minigrad.ops.numbers import converted

WHOLE = 2**24  # from here on, some whole numbers are no float32


def powered(x, number):
    """x ** number: roots by sqrt, as PyTorch's, though not of half floats; an exponent for which
    float32 has no room is not rounded to it, or an odd one could be even."""
    if x.dtype == np.float16:
        return np.power(x, number)
    if x.dtype == np.float32 and abs(number) >= WHOLE:
        return np.power(x.astype(np.float64), number).astype(x.dtype)
    return 1 / np.sqrt(x) if number == -0.5 else x**number


class PowBackward0(Op):
    """x ** number saves x, even for the exponents 1 and 0."""

    symbol = "** or pow()"
    saves = {"self": "self"}
    argument_names = ("exponent",)

    @staticmethod
    def forward(x, exponent):
        base, _ = beside_number(PowBackward0, x, exponent)
        if base.dtype == bool:
            return base | (not exponent)
        looked_at = exponent.__class__ is int or base.dtype == np.float16
        number = converted(exponent, base.dtype) if looked_at else exponent
        return powered(base, float(exponent) if base.dtype == np.float32 else number)

    def backward(node, grad, x):
        (exponent,) = node.arguments
        if exponent or exponent is False:  # no 0 to PyTorch, which computes 0 * x ** -1
            return grad * (powered(x, float(exponent) - 1) * unrounded(exponent, x))
        return np.zeros_like(x, order="C")

    def peak(node, grad, x):
        (exponent,) = node.arguments
        return 3 * grad.nbytes if exponent or exponent is False else 0


class PowBackward1(Binary):
    """x ** y saves everything: x, y and the result."""

    inputs = stretched = ("self", "exponent")
    saves = {"self": "self exponent", "exponent": "self exponent", "result": "self exponent"}

    @staticmethod
    def forward(x, y):
        return each_power(x, y) if x.dtype.kind == "f" else whole_power(x, y)

    def backward(node, grad, x, y, result):
        for_x, for_y = node.needs_input_grad
        dtype = result_dtype(x, y)  # in place the result may have a smaller one
        x, y, less = (
            a if a.dtype == dtype else a.astype(dtype) for a in (x, y, one_less(y) if for_x else y)
        )
        flat = (x == 0) & (y >= 0)  # 0 ** y has slope 0 in y for y >= 0
        return (
            np.where(y == 0, 0, grad * (y * x**less)) if for_x else None,
            grad * np.where(flat, 0, result * np.log(x)) if for_y else None,
        )

    def peak(node, grad, x, y, result):
        """Of each gradient the parts, a mask, and the 0 as a tensor; that of `y` comes first."""
        for_x, for_y = node.needs_input_grad
        first = (3 * grad.nbytes + x.nbytes + grad.size) * for_y
        second = (4 * grad.nbytes + y.nbytes + y.size + grad.nbytes * for_y) * for_x
        return max(first, second) + grad.itemsize


class PowBackward2(Op):
    """number ** x saves x and the result."""

    saves = {"exponent": "exponent", "result": "exponent"}
    symbol = "** or pow()"
    inputs = ("exponent",)
    argument_names = ("self",)

    @staticmethod
    def forward(x, base):
        x, base = beside_number(PowBackward2, x, base)
        return in_order(base**x if x.dtype.kind == "f" else whole_power(x.dtype.type(base), x))

    def backward(node, grad, x, result):
        (base,) = node.arguments
        slope = result * unrounded(float(np.log(float(base))), result)
        return grad * (slope if base else np.where(x >= 0, 0, slope))

    def peak(node, grad, x, result):
        """Where the base is 0, a mask and another 0, as tensors."""
        return 2 * grad.nbytes if node.arguments[0] else 3 * grad.nbytes + grad.itemsize + x.size


def one_less(y):
    """y - 1, which PyTorch does not compute of bools."""
    if y.dtype.kind == "b":
        raise RuntimeError(messages.MINUS_BOOL)
    return y - 1


def each_power(x, y):
    """x ** y of floats; for a repeated 1/2 NumPy takes a root: nan of -inf, and -0.0 of -0.0."""
    if y.size == 1 or y.shape != x.shape or 0 in y.strides:
        x = np.where((y == 0.5) & ((x == 0) | (x == -np.inf)), abs(x), x)
    return np.power(x, y)


def whole_power(x, y):
    """x ** y of integers, where 1 / n is 0 unless n is 1 or -1."""
    if x.dtype == bool:
        np.broadcast_shapes(x.shape, y.shape)  # which PyTorch looks at first
        raise messages.not_implemented("pow", bool_)
    below = y < 0  # the least number of a dtype has no absolute value in it
    return np.where(below & (abs(x) != 1), 0, x ** np.where(below, y & 1, y))


# -- methods --


def power(x, y):
    """x ** y: three rules, by which of the two is a tensor."""
    y = plain(y)
    if isinstance(y, Tensor):
        return PowBackward1.call(x, y)
    check_exponent(x, y)
    return PowBackward0.call(x, y)


def check_exponent(x, number) -> None:
    """Whole numbers have no negative powers."""
    if isinstance(number, int) and number < 0 and x._array.dtype.kind != "f":
        raise RuntimeError(messages.INTEGER_POWER)


def power_of(x, base):
    """base ** x, where base is a number."""
    if is_bool(x) and is_bool(plain(base)):
        raise messages.not_implemented("pow", x)
    return PowBackward2.call(x, plain(base))


@attach
class Powers(Tensor):
    """Methods of Tensor."""

    __pow__, pow = spelled(power), power
    __rpow__ = spelled(power_of)
    square = lambda x: PowBackward0.call(x, 2)  # noqa: E731
