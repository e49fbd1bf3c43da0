"""Ops, right and broken, on which a learner's test of ops is tried.

All are made of one forward and one backward, which do what a drawn recipe says: no name, no class
and no bytecode tells a broken op from a right one. Right ones and broken ones keep things in the
same places, and compute as much: how an op is built says nothing, what becomes of it does.
"""

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any
from weakref import ref

import minigrad as mg

FUNCTIONS = {  # of h: the value, and the slope
    "square": (lambda h: h * h, lambda h: 2 * h),
    "cube": (lambda h: h * h * h, lambda h: 3 * h * h),
    "sine": (lambda h: h.sin(), lambda h: h.cos()),
    "tanh": (lambda h: h.tanh(), lambda h: 1 - h.tanh() * h.tanh()),
    "exp": (lambda h: h.exp(), lambda h: h.exp()),
}


class Box:
    """An object that keeps a list."""

    def __init__(self, kept):
        self.kept = kept


# What a node has of its list of kept things, and how the list is found there.
HOLDERS: dict[str, Any] = {
    "a list": (lambda kept: kept, lambda held: held),
    "a tuple": (lambda kept: (kept,), itemgetter(0)),
    "a dict": (lambda kept: {"kept": kept}, itemgetter("kept")),
    "an object": (Box, lambda held: held.kept),
    "a function": (lambda kept: lambda: kept, lambda held: held()),
}


@dataclass(frozen=True)
class Recipe:
    """What an op does: scale times a function of h; it does not say whether that is right."""

    function: str = "square"
    saves: bool = True  # h by save_for_backward
    # Kept in ctx beside a number: "h", "y", "d", the bytes of y alone, "w", a weak reference to y.
    keeps: tuple = ()
    holder: str = "a list"
    lets_go: bool = False  # backward lets go of the tensors that are kept there
    times: float = 1.0  # the slope, times this
    ignores: bool = False  # the gradient that comes in
    of_size: bool = False  # the slope of abs(h)
    raises: bool = False


def op(recipe, scale):
    """The op as one calls it, `y = op(h)`."""
    value, slope = FUNCTIONS[recipe.function]
    put, found = HOLDERS[recipe.holder]

    def forward(ctx, h, scale):
        y = value(h) * scale
        ctx.scale = scale
        ctx.save_for_backward(*[h] * recipe.saves)
        there = {"h": h, "y": y, "d": y.detach(), "w": ref(y)}
        ctx.kept = put([*[there[name] for name in recipe.keeps], scale])  # each op has such a list
        return y

    def backward(ctx, grad):
        if recipe.raises:
            raise RuntimeError("no rule for this yet")
        kept = found(ctx.kept)
        h = ctx.saved_tensors[0] if recipe.saves else kept[0]
        if recipe.lets_go:
            del kept[:-1]
        h = (h, h.abs())[recipe.of_size]  # both are computed, whichever is used
        grad = (grad, 0 * grad + 1)[recipe.ignores]
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
    "right": Recipe(keeps=("w",)),
    "right, ctx.h = h until backward": Recipe(keeps=("h",), lets_go=True),
    "right, ctx.y = y.detach() until backward": Recipe(keeps=("d",), lets_go=True),
}


def eight(draw, faults):
    """[(what it is, recipe)] of eight ops in a drawn order, three to five of them right.

    The holders are dealt to both sorts alike: of each fault there is a right op with its holder.
    """
    wrong, holders = draw.int(max(3, len(faults)), 5), draw.some([*HOLDERS], len(HOLDERS))
    sorts = of_all(draw, faults, wrong), of_all(draw, RIGHT, 8 - wrong)
    known = {**faults, **RIGHT}
    made = [
        of_any(draw, name, replace(known[name], holder=holder))
        for names in sorts
        for name, holder in zip(names, holders, strict=False)
    ]
    return draw.some(made, 8)


def of_all(draw, names, count):
    """Each of the names, and others of them."""
    return [*names, *(draw.choice([*names]) for _ in range(count - len(names)))]


def of_any(draw, name, recipe):
    """The recipe with a drawn function that has this fault, or none; and what it is in words."""
    function = draw.choice(["square", "exp"] if recipe.of_size else [*FUNCTIONS])
    said = name.replace("right", f"a right {function}", 1) if name in RIGHT else name
    return said, replace(recipe, function=function)
