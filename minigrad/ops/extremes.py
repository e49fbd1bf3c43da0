"""The largest and smallest: max and min of all or along an axis, amax and amin along several.

The winners of these two share the gradient.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import in_order
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages, return_types
from minigrad.ops.reduce import (
    MaxBackward0,
    MaxBackward1,
    MinBackward0,
    MinBackward1,
    along,
    check_any,
    check_keepdim,
    check_not_empty,
    place_of,
)
from minigrad.ops.shapes import ALL, Shown, axis, flag, over, several, standing_for, whole


def restored(shape: tuple, dim: tuple) -> tuple:
    """The shape with length 1 along these axes; without any, that of a number."""
    gone = {one % len(shape) for one in dim} if shape else ()
    return tuple(1 if i in gone else n for i, n in enumerate(shape)) if gone else ()


class AmaxBackward0(Shown):
    """amax saves its input and its result."""

    saves = {"self": "self", "result": "self"}
    argument_names = ("dim", "keepdim")

    most = "max"

    @classmethod
    def forward(cls, x, dim, keepdim):
        return in_order(getattr(x, cls.most)(along(x, dim), keepdims=keepdim))

    def backward(node, grad, x, result):
        dim, keepdim = node.arguments
        if not keepdim:
            shape = restored(x.shape, dim)
            grad, result = grad.reshape(shape), result.reshape(shape)
        winners = x == result
        return grad / winners.sum(along(x, dim), keepdims=True, dtype=grad.dtype) * winners

    def peak(node, grad, x, result):
        """Who has won, how many they are, what each of them gets, and the result."""
        return x.size * (grad.itemsize + 1) + grad.nbytes + 8 * grad.size


class AminBackward0(AmaxBackward0):
    """amin saves the same."""

    most = "min"


# -- methods --


def extremum(x, other, keepdim, dim, rules, result):
    """max() and min(): the value of all, or (values, indices) along `dim`, which may stand where
    another tensor may; of that, the larger or smaller of each two."""
    name, (whole, by_axis, arg, of_two) = result.__name__, rules
    if isinstance(other, Tensor) and keepdim is None and dim is ALL:
        return of_two(x, other)
    if other is not ALL and dim is not ALL:
        raise TypeError(f"{name}() got multiple values for argument 'dim'")
    if other is dim:  # there is neither
        check_keepdim(keepdim, name)
        check_any(x, RuntimeError, messages.EMPTY_EXTREMUM.format(name))
        return whole.call(x)
    return result(*_along(x, other if dim is ALL else dim, flag(keepdim), by_axis, arg, name))


def _along(x, dim, keepdim, by_axis, arg, name) -> tuple:
    dim = axis(x, dim)
    check_not_empty(x, dim, name)
    indices = x._new(place_of(arg, x._array, dim, keepdim))
    return by_axis.call(x, indices, dim, keepdim), indices


LARGEST = MaxBackward1, MaxBackward0, np.argmax, Tensor.maximum
SMALLEST = MinBackward1, MinBackward0, np.argmin, Tensor.minimum


def extreme(x, dim, keepdim, rule, name):
    """The largest or smallest along these axes; without any, of all."""
    if not isinstance(dim, (tuple, list, bool, type(None))):
        dim = whole(standing_for(dim), "dim", "tuple of ints")
    dim = several(dim) or ()
    if not dim:
        check_any(x, RuntimeError, messages.EMPTY_EXTREMUM.format(name))
    for one in dim if not x._array.size else ():
        axis(x, one)
        check_not_empty(x, one, name)
    return rule.call(x, over(x, dim), flag(keepdim))


@attach
class Extremes(Tensor):
    """Methods of Tensor."""

    # fmt: off
    def max(x, other=ALL, keepdim=None, *, dim=ALL):
        return extremum(x, other, keepdim, dim, LARGEST, return_types.max)
    def min(x, other=ALL, keepdim=None, *, dim=ALL):
        return extremum(x, other, keepdim, dim, SMALLEST, return_types.min)
    def amax(x, dim=(), keepdim=False): return extreme(x, dim, keepdim, AmaxBackward0, "amax")
    def amin(x, dim=(), keepdim=False): return extreme(x, dim, keepdim, AminBackward0, "amin")
    # fmt: on
