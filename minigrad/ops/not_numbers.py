"""nan_to_num: numbers in the place of NaN and of infinities."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.inplace import write_over
from minigrad.ops.numbers import a_float


class NanToNumBackward0(Op):
    """nan_to_num saves its input: the gradient passes where that is a finite number."""

    saves = {"self": "self"}
    argument_names = ("", "", "")

    @staticmethod
    def forward(x, nan, posinf, neginf):
        nan = 0 if nan is None else nan
        return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)

    def backward(node, grad, x):
        return grad * (abs(x) < np.inf)

    def peak(node, grad, x):
        """PyTorch asks where x is itself and where |x| is not infinite, and for both."""
        return x.nbytes + 3 * x.size


def numbers(nan, posinf, neginf) -> tuple:
    """Floats, or None for those that the dtype decides."""
    given = {"nan": nan, "posinf": posinf, "neginf": neginf}.items()
    return tuple(one if one is None else a_float(one, name) for name, one in given)


def nan_to_num(x, nan=None, posinf=None, neginf=None):
    """`x` with numbers for NaN (0) and for both infinities (the ends of its dtype)."""
    return NanToNumBackward0.call(x, *numbers(nan, posinf, neginf))


def nan_to_num_(x, nan=None, posinf=None, neginf=None):
    """The same in place."""
    whole = x._array.dtype.kind != "f"  # of which nothing is written
    return write_over(NanToNumBackward0, x, arguments=numbers(nan, posinf, neginf), repeated=whole)


@attach
class NotNumbers(Tensor):
    """Methods of Tensor."""

    nan_to_num, nan_to_num_ = nan_to_num, nan_to_num_
