"""The algebra of one block: two streams, each changed by a function of the other one.

    y1 = x1 + F(x2)          x2 = y2 - G(y1)
    y2 = x2 + G(y1)          x1 = y1 - F(x2)

Nothing is ever asked of F and G: to undo the addition of F(x2), subtract it again. The gradients
walk the same way back, so both take one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, iadd, isub, sub
from typing import NamedTuple


class Arithmetic(NamedTuple):
    """How streams are added and subtracted: into new bytes, or over the left operand's."""

    plus: Callable
    minus: Callable


NEW = Arithmetic(add, sub)
IN_PLACE = Arithmetic(iadd, isub)


def couple(f, g, x1, x2, by=NEW):
    """Forward: x1, x2 -> y1, y2."""
    y1 = by.plus(x1, f(x2))
    y2 = by.plus(x2, g(y1))
    return y1, y2


def uncouple(f, g, y1, y2, by=NEW):
    """The inverse: y1, y2 -> x1, x2."""
    x2 = by.minus(y2, g(y1))
    x1 = by.minus(y1, f(x2))
    return x1, x2


def undo(f, g, y1, y2, dy1, dy2, by=NEW):
    """The inverse and backward in one pass: f and g run once each, and are recorded this time."""
    x2, dx1 = undo_one(g, y1, y2, dy1, dy2, by)
    x1, dx2 = undo_one(f, x2, y1, dy2, dx1, by)
    return x1, x2, dx1, dx2


def undo_one(fn, u, y, du, dy, by):
    """Of y = x + fn(u): x, and the gradient of u, which gains what comes through fn."""
    v, pull = fn(u)
    x = by.minus(y, v)
    through = pull(dy)
    return x, du if through is None else by.plus(du, through)
