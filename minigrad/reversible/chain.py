"""The chain as one node: it saves its output, whatever the depth, and computes the rest again."""

from __future__ import annotations

from minigrad.autograd.function import Function
from minigrad.ops.functions import cat
from minigrad.reversible.coupling import IN_PLACE, NEW, couple, undo
from minigrad.reversible.recompute import Again, Collector, Unchanged, refuse_recording


def halves(x) -> list:
    """The two streams, each with bytes of its own."""
    return [part.clone() for part in x.chunk(2, -1)]


class ReversibleChain(Function):
    """All blocks, one after the other.

    The parameters are inputs, though forward does not use them: so that the node exists even if
    `x` is raw data, and so that it can hand their gradients on.
    """

    @staticmethod
    def forward(ctx, x, chain, *parameters):
        ctx.by = IN_PLACE if chain.trimmed else NEW
        ctx.parameters, ctx.tolerance, ctx.blocks = parameters, chain.tolerance, []
        y1, y2 = x1, x2 = halves(x)
        for block in chain:
            f, g = Again(block.F), Again(block.G)
            ctx.blocks.append((f, g, Unchanged(block, y1, y2)))
            y1, y2 = couple(f, g, y1, y2, ctx.by)
        y = cat([y1, y2], -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        refuse_recording()
        y1, y2 = halves(*ctx.saved_tensors)
        for *_, unchanged in ctx.blocks:
            unchanged.check_weights()
        dy1, dy2 = halves(dy)
        weights = Collector(ctx.parameters)
        for f, g, unchanged in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = undo(f.into(weights), g.into(weights), y1, y2, dy1, dy2, ctx.by)
            unchanged.check_input(y1, y2, ctx.tolerance)
            weights.hand_on()
        dx = cat([dy1, dy2], -1) if ctx.needs_input_grad[0] else None
        return dx, None, *weights.gradients(ctx.parameters)
