"""Nets of reversible blocks beside lesson 11's chain: recorded, with faults, and minigrad's own."""

import minigrad as mg
from course.bytes_along import mark, watch
from course.coupled import couple, halves, undo, undo_half


def recorded(blocks):
    """The net of these blocks as autograd runs it: every activation is kept."""

    def run(x):
        x1, x2 = halves(x)
        for f, g in blocks:
            x1, x2 = couple(f, g, x1, x2)
        return mg.cat([x1, x2], -1)

    return run


def one_by_one(apply, blocks):
    """The net that calls apply(x, block) for each block, watched."""

    def run(x):
        for number, block in enumerate(blocks, 1):
            x = apply(x, block)
            watch(number, x)
        return x

    return run


def chain_of(blocks, half=undo_half, look=None):
    """One node: `half` undoes half a block, `look` is shown each pair."""
    return lambda x: AnyChain.apply(x, blocks, half, look)


class AnyChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks, half, look):
        y1, y2 = x1, x2 = halves(x)
        for number, (f, g) in enumerate(blocks, 1):
            y1, y2 = couple(f, g, y1, y2)
            if look is not None:
                look((y1, y2))
            mark(f"f{number}")
        ctx.blocks, ctx.half = blocks, half
        y = mg.cat([y1, y2], -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for number, (f, g) in reversed([*enumerate(ctx.blocks, 1)]):
            x2, dx1 = ctx.half(g, y1, y2, dy1, dy2)
            x1, dx2 = ctx.half(f, x2, y1, dy2, dx1)
            y1, y2, dy1, dy2 = x1, x2, dx1, dx2
            mark(f"b{number}")
        return mg.cat([dy1, dy2], -1), None, None, None


def all_at_once(blocks):
    """One node, which returns the gradients of all its weights."""
    weights = [w for block in blocks for fn in block for w in (fn.a, fn.b)]
    return lambda x: AllAtOnce.apply(x, blocks, *weights)


class AllAtOnce(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks, *weights):
        ctx.blocks, ctx.weights = blocks, weights
        y = recorded(blocks)(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        before = [w.grad for w in ctx.weights]
        for w in ctx.weights:
            w.grad = None  # what adds up inside is returned
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        found = [w.grad for w in ctx.weights]
        for w, grad in zip(ctx.weights, before, strict=True):
            w.grad = grad
        return mg.cat([dy1, dy2], -1), None, *found


def reversible_sequential(count, **options):
    """minigrad's own chain of so many blocks; F and G have biases, and begin small."""
    from minigrad.reversible import ReversibleBlock, ReversibleSequential

    return ReversibleSequential(*[ReversibleBlock(_f(), _f()) for _ in range(count)], **options)


def _f():
    f = mg.nn.Sequential(mg.nn.Linear(16, 32), mg.nn.ReLU(), mg.nn.Linear(32, 16))
    f[2].weight.detach().mul_(0.1)
    return f
