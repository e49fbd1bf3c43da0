"""Known ways to run a reversible step, for the map of lesson 11: checkpoints, and in place.

The build measures them (`course/build/golf.py`); they are answers, and no learner gets them.
"""

import minigrad as mg
from course.cases.golf_11 import stored
from minigrad.utils.checkpoint import checkpoint


def every(length):
    """A way to play: a checkpoint around each so many blocks."""

    def way(x, blocks):
        for i in range(0, len(blocks), length):
            part = blocks[i : i + length]
            x = checkpoint(lambda x, part=part: stored(x, part), x, use_reentrant=False)
        return x

    return way


def half(fn, u, y, du, dy):
    """Over the bytes of `y` the stream before, over those of `du` the gradient before."""
    leaf = u.detach().requires_grad_()
    with mg.enable_grad():
        v = fn(leaf)
    y -= v.detach()
    v.backward(dy)
    du += leaf.grad


class Ours(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y = stored(x, blocks)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = (part.clone() for part in ctx.saved_tensors[0].chunk(2, -1))
        dy1, dy2 = (part.clone() for part in dy.chunk(2, -1))
        for f, g in reversed(ctx.blocks):
            half(g, y1, y2, dy1, dy2)
            half(f, y2, y1, dy2, dy1)
        return mg.cat([dy1, dy2], -1), None


def but_four(x, blocks):
    """Less work: the last four blocks are stored."""
    return stored(Ours.apply(x, blocks[:-4]), blocks[-4:])


class Section2(Ours):
    """The lesson's: `undo` holds a block's old streams and gradients until it returns."""

    @staticmethod
    def backward(ctx, dy):
        (y1, y2), (dy1, dy2) = ctx.saved_tensors[0].chunk(2, -1), dy.chunk(2, -1)
        y1, y2, dy1, dy2 = y1.clone(), y2.clone(), dy1.clone(), dy2.clone()
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        return mg.cat([dy1, dy2], -1), None


def undo(f, g, y1, y2, dy1, dy2):
    x2, dx1 = undo_half(g, y1, y2, dy1, dy2)
    x1, dx2 = undo_half(f, x2, y1, dy2, dx1)
    return x1, x2, dx1, dx2


def undo_half(fn, u, y, du, dy):
    with mg.enable_grad():
        u = u.detach().requires_grad_()
        v = fn(u)
    x = y - v.detach()
    v.backward(dy)
    return x, du + u.grad


WAYS = {
    "reversible_golf": {
        "stored": stored,
        "every block": every(1),
        "every 3": every(3),
        "section 2": Section2.apply,
        "ours, but 4 stored": but_four,
        "ours": Ours.apply,
    }
}
