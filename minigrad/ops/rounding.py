"""floor, ceil and round: steps, whose slope is 0; and sign_, which is another."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import bool_
from minigrad.core.op import Op
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import messages
from minigrad.ops.elementwise import SignBackward0
from minigrad.ops.inplace import in_place
from minigrad.ops.layout import copied


def stepping(name, function):
    """A forward: the function of each element; whole numbers stay as they are."""

    def forward(x):
        if x.dtype == bool:
            raise messages.not_implemented(f"{name}_vml_cpu", bool_)
        return function(x) if x.dtype.kind == "f" else copied(x, x.dtype)

    return staticmethod(forward)


class FloorBackward0(Op):
    """floor saves nothing."""

    forward = stepping("floor", np.floor)

    def backward(node, grad):
        return np.zeros_like(grad)


class CeilBackward0(FloorBackward0):
    """ceil saves nothing."""

    forward = stepping("ceil", np.ceil)


class RoundBackward0(FloorBackward0):
    """round saves nothing; a half goes to the even number."""

    forward = stepping("round", np.rint)


@attach
class Rounding(Tensor):
    """Methods of Tensor."""

    floor, ceil, round = FloorBackward0.call, CeilBackward0.call, RoundBackward0.call
    floor_, ceil_, round_ = map(in_place, (FloorBackward0, CeilBackward0, RoundBackward0))
    sign_ = in_place(SignBackward0)
