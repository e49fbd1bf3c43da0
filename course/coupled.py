"""Reversible blocks in a few lines: two streams, each changed by a function of the other one.

Lesson 11 takes them apart. A block is a pair (f, g) of functions; minigrad's own, with a guard at
each place where this could go wrong unnoticed, are in minigrad/reversible.
"""

import minigrad as mg
from course.residual import weight


class Mlp:
    """An f or a g: a product, a relu of width `hidden`, a product."""

    def __init__(self, width, hidden=32):
        self.a, self.b = weight(width, hidden), weight(hidden, width)

    def __call__(self, u):
        return (u @ self.a).relu() @ self.b


def coupled_blocks(count, width=16):
    """So many pairs (f, g) on streams of `width` columns."""
    return [(Mlp(width), Mlp(width)) for _ in range(count)]


def halves(t):
    """The two streams of a tensor, each with bytes of its own."""
    return [part.clone() for part in t.chunk(2, -1)]


def couple(f, g, x1, x2):
    """A block, forward: each stream changes the other."""
    y1 = x1 + f(x2)
    y2 = x2 + g(y1)
    return y1, y2


def undo_half(fn, u, y, du, dy):
    """Of y = x + fn(u): x, and all of the gradient of u."""
    with mg.enable_grad():  # in backward, recording is off
        u = u.detach().requires_grad_()  # a leaf: the graph ends here
        v = fn(u)  # fn once more, recorded this time
    x = y - v.detach()  # the addition undone
    v.backward(dy)  # to the weights of fn, and to u.grad
    return x, du + u.grad  # u's own way, and the one through fn


def undo(f, g, y1, y2, dy1, dy2):
    """A block, backward: the streams before it, and their gradients."""
    x2, dx1 = undo_half(g, y1, y2, dy1, dy2)
    x1, dx2 = undo_half(f, x2, y1, dy2, dx1)
    return x1, x2, dx1, dx2
