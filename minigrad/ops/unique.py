"""unique: the numbers of a tensor, each once and in order."""

from __future__ import annotations

import numpy as np

from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach

NO_ROWS = "minigrad's unique() takes all numbers together: leave dim and sorted=False out"


class Unique2Backward0(Op):
    """unique has no derivative: who asks for it is told."""

    @staticmethod
    def forward(x):
        return np.unique(x)

    def backward(node, grad):
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")


def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The numbers, and if asked for where each element is among them, and how many there are."""
    if dim is not None or not sorted:
        raise NotImplementedError(NO_ROWS)
    result = Unique2Backward0.call(x)
    if not (return_inverse or return_counts):
        return result
    _, places, counts = np.unique(x._array, return_inverse=True, return_counts=True)
    more = [places.reshape(x.shape)] * return_inverse + [counts] * return_counts
    return result, *(x._new(each) for each in more)


@attach
class Unique(Tensor):
    """Methods of Tensor."""

    unique = unique
