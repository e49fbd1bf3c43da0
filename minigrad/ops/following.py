"""Views follow their base: what they record once it was written to, or does not want a gradient.

A view has a node of its own, which leads to what the base was when the view was made. PyTorch looks
again when somebody asks for it: if the bytes were written to since, the view's node is a new one,
which leads to the base as it is now. Here views that need it are in doubt: their edge is LOST, and
where it led stands in `_was`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minigrad.core import messages
from minigrad.core.arrays import strided
from minigrad.core.inplace import move_on
from minigrad.core.node import LOST, NOWHERE
from minigrad.core.op import Op, record
from minigrad.core.tensor import Tensor, attach


class AsStridedBackward0(Op):
    """From a view to its base, through the places where their elements lie; it saves no tensor."""

    argument_names = ("size", "stride", "storage_offset", "")  # the last: those of the base

    def backward(node, grad):
        size, stride, offset, base = node.arguments
        ends = [place + extent(*steps) for *steps, place in ((size, stride, offset), base)]
        flat = np.zeros_like(grad, shape=max(ends), order="C")
        repeated = tuple([i for i, step in enumerate(stride) if step == 0])
        once = grad.sum(repeated, keepdims=True) if repeated else grad
        seen(flat, once.shape, stride, offset)[...] = once
        return seen(flat, *base)


def extent(size, stride) -> int:
    """How many elements lie between the first and the last, both counted."""
    steps = zip(size, stride, strict=True)
    return 1 + sum((n - 1) * step for n, step in steps) if prod(size) else 0


def seen(flat, size, stride, offset: int):
    """What a tensor of this layout has of the elements that lie one after the other."""
    return strided(flat[offset:], size, tuple([step * flat.itemsize for step in stride]))


# -- methods --


def layout(x) -> tuple:
    """Its size, its steps and where it begins, in elements."""
    return tuple(x.shape), x.stride(), x.storage_offset()


@attach
class Following(Tensor):
    """Methods of Tensor."""

    def _views_follow(self) -> None:
        """This tensor's edge or its numbers are others: its views look again when asked."""
        for view in self._views or ():
            if view._edge is LOST and view._was is NOWHERE and not self._requires_grad:
                view._edge = NOWHERE
            elif view._edge is not NOWHERE or self._requires_grad:
                view._come_into_doubt()

    def _come_into_doubt(self) -> None:
        if self._edge:  # else it is, or a leaf
            self._was, self._edge = self._edge, LOST

    def _look_again(self) -> None:
        """Give a view in doubt a new node if its base was written to since it had its own."""
        base: Any = self._base
        if base is None or self._made_at == self._storage.version:
            return
        if not base._requires_grad and self._node is None:
            return
        if self._view_kind:
            raise messages.view_error(self, "its base or another view of its base has been")
        self._made_at = self._storage.version
        given = *layout(self), layout(base)
        node = record(
            AsStridedBackward0, self._twin(self._array), (base,), (base._requires_grad,), given
        )
        move_on(self, node)
