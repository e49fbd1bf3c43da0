"""Ops, right and broken, on which a learner's test of ops is tried.

All are made of one forward and one backward, which do what a drawn recipe says: no name, no class
and no bytecode tells a broken op from a right one.
"""

from dataclasses import dataclass, replace
from typing import Any

import minigrad as mg

FUNCTIONS = {  # of h: the value, and the slope
    "square": (lambda h: h * h, lambda h: 2 * h),
    "cube": (lambda h: h * h * h, lambda h: 3 * h * h),
    "sine": (lambda h: h.sin(), lambda h: h.cos()),
    "tanh": (lambda h: h.tanh(), lambda h: 1 - h.tanh() * h.tanh()),
    "exp": (lambda h: h.exp(), lambda h: h.exp()),
}


@dataclass(frozen=True)
class Recipe:
    """What an op does: scale times a function of h, and with which fault."""

    says: str = ""  # the fault in words
    function: str = "square"
    saves: bool = True  # h by save_for_backward
    attributes: tuple = ()  # "h" or "y", kept in ctx by name
    lets_go: bool = False  # backward deletes what ctx.y refers to
    times: float = 1.0  # the slope, times this
    ignores: bool = False  # the gradient that comes in
    of_size: bool = False  # the slope of abs(h)
    raises: bool = False

    @property
    def right(self):
        return not self.says

    def __str__(self):
        return self.says or f"a right {self.function}"


def op(recipe, scale):
    """The op as one calls it, `y = op(h)`."""
    value, slope = FUNCTIONS[recipe.function]

    def forward(ctx, h, scale):
        y = value(h) * scale
        ctx.scale = scale
        ctx.save_for_backward(*[h] * recipe.saves)
        for name in recipe.attributes:
            setattr(ctx, name, h if name == "h" else y)
        return y

    def backward(ctx, grad):
        if recipe.raises:
            raise RuntimeError("no rule for this yet")
        if recipe.lets_go:
            del ctx.y
        h = ctx.saved_tensors[0] if recipe.saves else ctx.h
        h = h.abs() if recipe.of_size else h
        grad = 0 * grad + 1 if recipe.ignores else grad
        return grad * slope(h) * (ctx.scale * recipe.times), None

    rules = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    made: Any = type("Op", (mg.autograd.Function,), rules)
    return lambda h: made.apply(h, scale)


WRONG_SLOPES = (
    Recipe("half the slope", times=0.5),
    Recipe("the incoming gradient lost", ignores=True),
    Recipe("the sign lost", of_size=True),
    Recipe("a backward that raises", raises=True),
)
LEAKS = (
    Recipe("ctx.h = h", saves=False, attributes=("h",)),
    Recipe("ctx.h beside a saved h", attributes=("h",)),
)
RINGS = (
    Recipe("ctx.y = y", attributes=("y",)),
    Recipe("ctx.y = y, deleted by backward", attributes=("y",), lets_go=True),
)


def eight(draw, faults):
    """Eight recipes in a drawn order, three to five of them right, with each of the faults."""
    wrong = draw.int(max(3, len(faults)), 5)
    chosen = [*faults, *(draw.choice(faults) for _ in range(wrong - len(faults)))]
    return [of_any(draw, one) for one in draw.some([*chosen, *[Recipe()] * (8 - wrong)], 8)]


def of_any(draw, recipe):
    """The recipe with a drawn function, of which it is still as right or wrong as it says."""
    kinds = ["square", "exp"] if recipe.of_size else list(FUNCTIONS)
    return replace(recipe, function=draw.choice(kinds))
