"""Ops, right and broken, on which a learner's test of ops is tried; each is made for a scale."""

from typing import Any

import minigrad as mg


def planted(forward, backward):
    """Of a scale, an op as one calls it; all have one class name, so that it tells nothing."""
    rules = {
        "forward": staticmethod(forward),
        "backward": staticmethod(lambda ctx, grad: (backward(ctx, grad), None)),
    }
    op: Any = type("Op", (mg.autograd.Function,), rules)
    return lambda scale: lambda h: op.apply(h, scale)


def saves(*names, attributes=()):
    """A forward of `scale * h * h` that keeps "h" or "y" in either way."""

    def forward(ctx, h, scale):
        both = {"h": h, "y": h * h * scale}
        ctx.scale = scale
        ctx.save_for_backward(*[both[name] for name in names])
        for name in attributes:
            setattr(ctx, name, both[name])
        return both["y"]

    return forward


def slope(ctx, grad):
    return grad * 2 * ctx.scale * ctx.saved_tensors[0]


def half(ctx, grad):
    return grad * ctx.scale * ctx.saved_tensors[0]


def blind(ctx, grad):
    return 2 * ctx.scale * ctx.saved_tensors[0] + 0 * grad


def by_root(ctx, grad):
    return grad * 2 * ctx.scale * (ctx.saved_tensors[0] / ctx.scale).sqrt()


def by_attribute(ctx, grad):
    return grad * 2 * ctx.scale * ctx.h


def failing(ctx, grad):
    raise RuntimeError("no rule for this yet")


def tanh_forward(ctx, h, scale):
    y = h.tanh()
    ctx.save_for_backward(y)
    return y


def tanh_slope(ctx, grad):
    (y,) = ctx.saved_tensors
    return grad * (1 - y * y)


def opening(ctx, grad):
    del ctx.y
    return slope(ctx, grad)


RIGHT = {
    "a right square": planted(saves("h"), slope),
    "a right tanh": planted(tanh_forward, tanh_slope),
    "the built-in exp": lambda scale: lambda h: (scale * h).exp(),
}
WRONG_SLOPES = {
    "half the slope": planted(saves("h"), half),
    "the incoming gradient lost": planted(saves("h"), blind),
    "the sign lost": planted(saves("y"), by_root),
    "a backward that raises": planted(saves("h"), failing),
}
LEAKS = {
    "ctx.h = h": planted(saves(attributes=["h"]), by_attribute),
    "ctx.h beside a saved h": planted(saves("h", attributes=["h"]), slope),
}
RINGS = {
    "ctx.y = y": planted(saves("h", attributes=["y"]), slope),
    "ctx.y = y, deleted by backward": planted(saves("h", attributes=["y"]), opening),
}
