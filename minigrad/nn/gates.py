"""Activations that let a share of their input through, a straight line or another half of it."""

from __future__ import annotations

from minigrad.nn.activations import _Along, _InPlace, over
from minigrad.ops import activations as ops
from minigrad.ops.shapes import axis

NO_HALF = "glu does not support scalars because halving size must be even"


def hardsigmoid(x, inplace: bool = False):
    """0 up to -3, 1 from 3 on, and a straight line between the two."""
    rule = ops.HardsigmoidBackward0
    return over(rule, x) if inplace else rule.call(x)


def hardswish(x, inplace: bool = False):
    """x * hardsigmoid(x)."""
    rule = ops.HardswishBackward0
    return over(rule, x) if inplace else rule.call(x)


def glu(x, dim: int = -1):
    """The first half along `dim`, times the sigmoid of the second."""
    if x.ndim == 0:
        raise RuntimeError(NO_HALF)
    dim = axis(x, dim, name="dim")
    if x.shape[dim] % 2:
        found = f"dimension {dim} is size {x.shape[dim]}"
        raise RuntimeError(f"Halving dimension must be even, but {found}")
    return ops.GluBackward0.call(x, dim)


class Hardsigmoid(_InPlace):
    function = staticmethod(hardsigmoid)

    def extra_repr(self):
        return ""  # PyTorch does not tell whether it works in place; nor below


class Hardswish(Hardsigmoid):
    function = staticmethod(hardswish)


class GLU(_Along):
    function = staticmethod(glu)

    def __init__(self, dim: int = -1):
        super().__init__(dim)
