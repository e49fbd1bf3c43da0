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
    """What an op does: scale times a function of h; it does not say whether that is right."""

    function: str = "square"
    saves: bool = True  # h by save_for_backward
    keeps: tuple = ()  # "h", "y", or "d", the bytes of y alone: kept in ctx beside a number
    lets_go: bool = False  # backward lets go of the tensors that are kept there
    times: float = 1.0  # the slope, times this
    ignores: bool = False  # the gradient that comes in
    of_size: bool = False  # the slope of abs(h)
    raises: bool = False


def op(recipe, scale):
    """The op as one calls it, `y = op(h)`."""
    value, slope = FUNCTIONS[recipe.function]

    def forward(ctx, h, scale):
        y = value(h) * scale
        ctx.scale = scale
        ctx.save_for_backward(*[h] * recipe.saves)
        there = {"h": h, "y": y, "d": y.detach()}
        ctx.kept = [*[there[name] for name in recipe.keeps], scale]  # each op has such a list
        return y

    def backward(ctx, grad):
        if recipe.raises:
            raise RuntimeError("no rule for this yet")
        if recipe.lets_go:
            del ctx.kept[:-1]
        h = ctx.saved_tensors[0] if recipe.saves else ctx.kept[0]
        h = h.abs() if recipe.of_size else h
        grad = 0 * grad + 1 if recipe.ignores else grad
        return grad * slope(h) * (ctx.scale * recipe.times), None

    rules = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    made: Any = type("Op", (mg.autograd.Function,), rules)
    return lambda h: made.apply(h, scale)


WRONG_SLOPES = {
    "half the slope": Recipe(times=0.5),
    "the incoming gradient lost": Recipe(ignores=True),
    "the sign lost": Recipe(of_size=True),
    "a backward that raises": Recipe(raises=True),
}
LEAKS = {
    "ctx.h = h": Recipe(saves=False, keeps=("h",)),
    "ctx.h beside a saved h": Recipe(keeps=("h",)),
}
RINGS = {
    "ctx.y = y": Recipe(keeps=("y",)),
    "ctx.y = y, deleted by backward": Recipe(keeps=("y",), lets_go=True),
}


# What they keep until backward does not tell these from the broken ones.
RIGHT = {
    "right": Recipe(),
    "right, ctx.h = h until backward": Recipe(keeps=("h",), lets_go=True),
    "right, ctx.y = y.detach() until backward": Recipe(keeps=("d",), lets_go=True),
}


def eight(draw, faults):
    """[(what it is, recipe)] of eight ops in a drawn order, three to five of them right."""
    wrong = draw.int(max(3, len(faults)), 5)
    names = of_all(draw, faults, wrong) + of_all(draw, RIGHT, 8 - wrong)
    known = {**faults, **RIGHT}
    return [of_any(draw, name, known[name]) for name in draw.some(names, 8)]


def of_all(draw, names, count):
    """Each of the names, and others of them."""
    return [*names, *(draw.choice([*names]) for _ in range(count - len(names)))]


def of_any(draw, name, recipe):
    """The recipe with a drawn function that has this fault, or none; and what it is in words."""
    function = draw.choice(["square", "exp"] if recipe.of_size else [*FUNCTIONS])
    said = name.replace("right", f"a right {function}", 1) if name in RIGHT else name
    return said, replace(recipe, function=function)
