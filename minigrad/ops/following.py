"""Views follow their base: what they record once it was written to, or does not want a gradient.

A view has a node of its own, which leads to what the base was when the view was made. PyTorch looks
again when somebody asks for it: if the bytes were written to since, the view's node is a new one,
which leads to the base as it is now. So the edge of a view is LOST, always in doubt, and where it
led when somebody last looked stands in `_was`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minigrad.core import messages
from minigrad.core import tensor as core
from minigrad.core.arrays import added, address, strided
from minigrad.core.inplace import move_on
from minigrad.core.node import LOST, NOWHERE
from minigrad.core.op import Op, record
from minigrad.core.tensor import Tensor, attach


class AsStridedBackward0(Op):
    """From a view to its base, through the places where their elements lie; it saves no tensor."""

    view = True
    argument_names = ("size", "stride", "storage_offset", "")  # the last: those of the base

    @staticmethod
    def forward(x, size, stride, offset, base):
        flat = seen(x, (extent(*base[:2]),), (1,), 0)
        return seen(flat, size, stride, offset - base[-1])

    def backward(node, grad):
        size, stride, offset, base = node.arguments
        ends = [place + extent(*steps) for *steps, place in ((size, stride, offset), base)]
        flat = np.zeros_like(grad, shape=max(ends), order="C")
        repeated = tuple([i for i, step in enumerate(stride) if step == 0])
        once = added(grad, repeated, keepdims=True) if repeated else grad
        seen(flat, once.shape, stride, offset)[...] = once
        whole = seen(flat, *base)
        times = prod(n for n, step in zip(*base[:2], strict=True) if step == 0)
        return whole if times == 1 else whole / times


def extent(size, stride) -> int:
    """How many elements lie between the first and the last, both counted."""
    steps = zip(size, stride, strict=True)
    return 1 + sum((n - 1) * step for n, step in steps) if prod(size) else 0


def seen(flat, size, stride, offset: int):
    """What a tensor of this layout has of the elements that lie one after the other."""
    flat = flat[offset:] if offset else flat
    return strided(flat, size, tuple([step * flat.itemsize for step in stride]))


def strided_node(view, base):
    """The node that leads from the view to the base as they are."""
    given = *layout(view), layout(base)
    wanted = (base._requires_grad,)
    return record(AsStridedBackward0, view._twin(view._array), (base,), wanted, given)


def layout(x) -> tuple:
    """Its size, its steps and where it begins, in elements."""
    # Itself: what is shown in its place may not like such questions.
    array = core.own_names(x)["_array"]
    steps = tuple([step // array.itemsize for step in array.strides])
    first = address(array) - address(x._storage.array)
    return array.shape, steps, first // array.itemsize


# -- methods --


@attach
class Following(Tensor):
    """Methods of Tensor."""

    def _views_follow(self) -> None:
        """Views without a node want a gradient if this tensor does."""
        for view in self._views or ():
            if view._edge is not None and view._node is None:
                view._edge = LOST if self._requires_grad else NOWHERE

    def _come_into_doubt(self: Any) -> None:
        self._was, self._edge = self._edge, LOST

    def _look_again(self) -> None:
        """Give this view a new node if its base was written to since it had its own."""
        tracked = self._base._requires_grad or self._node is not None
        if self._made_at == self._storage.stamp or not tracked:
            return
        if self._view_kind:
            raise messages.view_error(self, "its base or another view of its base has been")
        self._made_at = self._storage.stamp
        move_on(self, strided_node(self, self._base))
        self._come_into_doubt()
