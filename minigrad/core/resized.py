"""A leaf whose `.data` has got another shape between forward and backward.

Who sets it marks the node that waits for its gradient; nobody else pays for it. The gradient has
the shape that was recorded: it is written into one of the new shape, if it broadcasts to that.
"""

from __future__ import annotations

import re

import numpy as np

from minigrad.core import observer
from minigrad.core.frames import entries_of, inside, step_aside
from minigrad.core.messages import INVALID, NO_ROOM, broadcast_error
from minigrad.core.modes import state
from minigrad.core.node import AccumulateGrad, only_mine
from minigrad.core.op import fit

OTHERS = {  # what numpy says, and PyTorch
    r"matmul: Input .*size (\d+) is different from (\d+)": (
        "mat1 and mat2 shapes cannot be multiplied (..x{1} and {0}x..)"
    ),
    r"cannot reshape array of size (\d+) into shape \(([\d, ]*?),?\)$": (
        "shape '[{1}]' is invalid for input of size {0}"
    ),
}
NUMPYS = re.compile("operands could not be b|non-broadcastable output|could not broadcast input")


class Unfit(Exception):
    """A gradient has another shape than was recorded: (the leaf's node, its shape, the other)."""


class Resized(AccumulateGrad):
    """The end of an edge whose leaf has another shape now."""

    recorded: tuple

    def accumulate(self, grad) -> None:
        leaf, shape = self.variable, grad._array.shape
        if shape != self.recorded:
            if not fits(self.recorded, shape):
                raise Unfit(self, shape, self.recorded)
            grad, shape = fit(grad, self.recorded, grad._array.dtype), self.recorded
        if leaf._grad is not None or state.grad_enabled:
            return super().accumulate(grad)
        for tell in observer.on_arrived:
            tell(leaf, grad)
        steps = [*zip(shape, grad._array.strides, leaf._array.strides, strict=False)]
        alike = len(steps) == len(shape) and all(n == 1 or a == b for n, a, b in steps)
        if not (alike and only_mine(grad, self._hooks)):
            room = np.empty_like(leaf._array)
            room[...] = grad._array
            grad = grad._new(room)
        leaf._grad = grad
        for tell in observer.on_accumulated:
            tell(leaf)
        return None


def fits(small: tuple, large: tuple) -> bool:
    """True if `small` broadcasts to `large`."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(m in (1, n) for m, n in pairs)


Resized.__name__ = Resized.__qualname__ = "AccumulateGrad"


def note_shape(leaf, new: tuple) -> None:
    """Before a leaf gets bytes of this shape: its node remembers the one that was recorded."""
    node = leaf._accumulator()
    if node is not None and type(node) is AccumulateGrad and leaf._array.shape != new:
        node.recorded, node.__class__ = leaf._array.shape, Resized  # type: ignore


def stopped(error, nodes) -> None:
    """A walk over these nodes ends by this error: raise another one, if it is told anew."""
    clash = [told(error, nodes)]
    step_aside(error)
    if clash[0] is not error:
        # With the way to the rule; a name for it would hold, by that, the graph.
        raise clash.pop().with_traceback(error.__traceback__) from None


def told(error, nodes=()) -> Exception:
    """What PyTorch says of shapes where a rule or a step has failed by them; else the error."""
    if isinstance(error, Unfit):
        end, *shapes = error.args
        makers = [(node, [to for to, _ in node.next_functions]) for node in nodes]
        node, targets = next(pair for pair in makers if end in pair[1])
        return RuntimeError(INVALID.format(node.name(), targets.index(end), *map(list, shapes)))
    if not isinstance(error, ValueError) or not inside(
        entries_of(error)[-1].tb_frame.f_code.co_filename  # else of a hook's, say
    ):
        return error
    for numpys, torchs in OTHERS.items():
        if match := re.match(numpys, str(error)):
            return RuntimeError(torchs.format(*match.groups()))
    if not NUMPYS.match(str(error)):
        return error
    shapes = re.findall(r"\(([\d, ]*)\)", str(error))
    one, other, *_ = (tuple(map(int, re.findall(r"\d+", text))) for text in shapes)
    if "input array" in str(error):
        one, other = other, one
    clash = broadcast_error(one, other)
    if str(clash).startswith("The size"):
        return clash
    return RuntimeError(NO_ROOM.format(list(one), list(np.broadcast_shapes(one, other))))
