"""A write to a view, as its base sees it: the base's new node is a CopySlices, as in PyTorch.

    y = x * 2
    y[0].mul_(w)  # y.grad_fn is CopySlices; in it, `fn` is the MulBackward0 of the write

The gradient of the base is copied; the part of it that the view shows goes through `fn`, and what
comes out takes its place. The view itself, when asked for its node, leads to the base as it is now
(following.py).
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from minigrad.core import observer
from minigrad.core.inplace import move_on
from minigrad.core.messages import freed_error
from minigrad.core.modes import state
from minigrad.core.node import Freed, Node, edge, newer
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.copies import CloneBackward0
from minigrad.ops.following import AsStridedBackward0, extent, layout, seen

NO_TENSORS: list = []  # what a write saved that saved nothing: a second backward is refused, too


class CopySlices(Node):
    """The node of a base that was written to through a view.

    `fn` is the node of the write. Its first edge leads to what the view was; here the gradient
    goes to what the base was instead. `fn` dies when this node is released, and what it saved.
    """

    fn: Any
    _freed: Any = None

    def __init__(self, base, view, fn):
        self.fn, self.rule, self.saves = fn, type(fn), fn.saves
        self.base, self.view = layout(base), layout(view)
        self.next_functions = (edge(base), *fn.next_functions[1:])
        self._order = next(newer)

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    @property
    def _saved(self):
        return self._freed or self.fn._saved or NO_TENSORS

    @_saved.setter
    def _saved(self, freed):
        self._freed, self.fn = freed, None

    def _never_kept(self, index: int) -> bool:
        return self.rule.plan(self.needs_input_grad)[index] is None

    def apply(self, grads: list, asked=None) -> list:
        grad = grads[0]
        if grad is None:
            return [None] * len(self.next_functions)
        if self._freed.__class__ is Freed:
            raise freed_error(self, self._freed)
        whole = laid_out(grad, self.base)
        (*view, offset), start = self.view, self.base[-1]
        part = AsStridedBackward0.call(whole, *view, offset - start, layout(whole))
        results = self.through(CloneBackward0.call(part, "C"), asked)
        first, *others = self.needs_input_grad if asked is None else asked
        if first and results[0] is None:  # a Function's word for zeros
            part.zero_()
        elif first:
            part.copy_(results[0])
        rest = [r if yes else None for r, yes in zip(results[1:], others, strict=True)]
        return [whole if first else None, *rest]

    def through(self, grad, asked) -> list:
        """What the node of the write makes of the gradient of what was written."""
        run = self.fn.apply_recorded if state.grad_enabled else self.fn.apply
        return run([grad], asked)


def laid_out(x, like: tuple):
    """A copy of `x` in the layout of another tensor; no view, where that lies in order."""
    size, stride, _ = like  # zeros: who watches sees the numbers before they are written
    array = np.zeros_like(x._array, shape=size, order="C")
    if array.strides != tuple([step * array.itemsize for step in stride]):
        flat = np.zeros_like(x._array, shape=extent(size, stride), order="C")
        array = seen(flat, size, stride, 0)
    return x._new(array).copy_(x)


@attach
class Rebasing(Tensor):
    """Methods of Tensor."""

    def _rebase(self: Any, fn) -> None:
        """This view was written to, which `fn` records: its base has a new node, and so has it."""
        node = CopySlices(self._base, self, fn)
        observer.tell_recorded(node, self._base, (self._base,))
        move_on(self._base, node)
        self._look_again()
        fn._outlet = weakref.ref(self._node)
