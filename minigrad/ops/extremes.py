"""amax and amin: the largest and smallest along several axes, whose winners share the gradient."""

from __future__ import annotations

from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.layout import in_order
from minigrad.ops.reduce import along, check_any, check_not_empty
from minigrad.ops.shapes import Shown, axis, flag, over, several, whole_like


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


def extreme(x, dim, keepdim, rule, name):
    """The largest or smallest along these axes; without any, of all."""
    if not isinstance(dim, (tuple, list, bool, type(None))):
        dim = whole_like(dim, "dim", "tuple of ints")
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
    def amax(x, dim=(), keepdim=False): return extreme(x, dim, keepdim, AmaxBackward0, "amax")
    def amin(x, dim=(), keepdim=False): return extreme(x, dim, keepdim, AminBackward0, "amin")
    # fmt: on
