"""Variable: the name that tensors had before 2018. It makes a tensor, and each tensor is one."""

from __future__ import annotations

from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor, check_wanted
from minigrad.core.words import kind_of
from minigrad.ops.creation import empty


class VariableMeta(type):
    """isinstance(t, Variable) asks whether it is a tensor."""

    def __instancecheck__(cls, thing):
        return isinstance(thing, Tensor)


class Variable(metaclass=VariableMeta):
    """Variable(t): a leaf on the bytes of t, and with its version counter."""

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if volatile is not None:
            warn(VOLATILE)
        if data is None:
            return empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {kind_of(data)}")
        if requires_grad:
            check_wanted(data)
        return data.detach().requires_grad_(requires_grad)


VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def variable(*args, **kwargs):
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
