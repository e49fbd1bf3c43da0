"""What a leaf is told, and tells: requires_grad, which its views follow; .grad; hooks on it."""

from __future__ import annotations

import weakref

from minigrad.core import observer
from minigrad.core.frames import warn
from minigrad.core.hooks import RemovableHandle
from minigrad.core.node import LOST, NOWHERE, newer
from minigrad.core.tensor import Tensor, attach, check_wanted
from minigrad.core.words import expected, kind_of
from minigrad.ops import messages


@attach
class Leaves(Tensor):
    """Methods of Tensor."""

    # -- requires_grad --

    @property
    def requires_grad(self) -> bool:
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None:
            raise RuntimeError(messages.ONLY_LEAVES + ("" if value else messages.USE_DETACH))
        if value and not self.dtype.is_floating_point:
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        if value:
            check_wanted(self)
        self._set_flag(value)

    def _set_flag(self, value: bool) -> None:
        """Views that are leaves follow: they want a gradient if their base does, and it is LOST."""
        follows = self._base is not None and self._base._requires_grad
        self._edge = None if value else LOST if follows else NOWHERE
        self._views_follow()
        _tell_change()

    def requires_grad_(self, requires_grad: bool = True):
        """Set the flag in place and return the tensor; True on a non-leaf changes nothing."""
        expected(requires_grad, bool, "requires_grad", "bool")
        if requires_grad and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self._node is None or not requires_grad:
            self.requires_grad = requires_grad
        return self

    def detach_(self):
        """Take this very tensor out of its graph; its node goes if nobody else holds it."""
        if self._base is not None:
            raise RuntimeError(messages.DETACH_VIEW)
        if self.grad_fn is not None:
            self._detached = next(newer)
        self._set_flag(False)
        return self

    # -- .grad --

    @property
    def grad(self):
        if self._grad is None and self._node is not None and not self._retains_grad:
            warn(messages.NON_LEAF_GRAD)
        return self._grad

    @grad.setter
    def grad(self, new):
        if new is not None:
            self._check_grad(new)
        self._grad = new
        _tell_change()

    @grad.deleter
    def grad(self):
        self._grad = None
        _tell_change()

    def _check_grad(self, new):
        if not isinstance(new, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {kind_of(new)}"
            )
        if new is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if new.device != self.device:
            raise messages.grad_device_error(self, new)
        if new.dtype is not self.dtype:
            raise messages.grad_dtype_error(self, new)
        if new.shape != self.shape:
            raise messages.grad_size_error(self, new)

    retains_grad = property(lambda self: self._retains_grad)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in `.grad`; a leaf does so anyway."""
        if not self._requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is None or self._retains_grad:
            return
        self.grad_fn._watch().retain[self.output_nr] = weakref.ref(self)
        self._retains_grad = True

    # -- hooks on the gradient --

    def register_hook(self, hook) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is complete; a result replaces it."""
        if not self._requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            hooks = self.grad_fn._watch().tensor.setdefault(self.output_nr, {})
        else:
            hooks = self._tensor_hooks = self._tensor_hooks or {}
            if node := self._accumulator():
                node._watch().tensor[0] = hooks
        return RemovableHandle(hooks, hook)

    def register_post_accumulate_grad_hook(self, hook) -> RemovableHandle:
        """Call `hook(tensor)` after a gradient was accumulated into this leaf."""
        if not self._requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError(messages.NO_LEAF_HOOK)
        self._grad_hooks = self._grad_hooks or {}
        return RemovableHandle(self._grad_hooks, hook)


def _tell_change() -> None:
    for tell in observer.on_changed:
        tell()
