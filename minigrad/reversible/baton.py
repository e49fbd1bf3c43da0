"""The baton: a node for each block and not one saved byte; the data is handed from node to node.

The structure of the graph stays, block by block, while its data is gone. One pair of streams
lives, in a cell that all nodes share: forward overwrites it, backward hands it back.
"""

from __future__ import annotations

from typing import Any

from minigrad.autograd.function import Function
from minigrad.ops.functions import cat
from minigrad.reversible.coupling import couple, undo
from minigrad.reversible.recompute import Again, Collector, Unchanged, refuse_recording


class Baton:
    """The one pair of streams, and after how many blocks it stands."""

    def __init__(self):
        self.at = 0
        self.streams: Any = None

    def put(self, at: int, streams) -> None:
        self.at, self.streams = at, streams
        self.versions = [s._version for s in streams]

    def take(self, at: int) -> list:
        """The streams after block `at`; the cell is empty then."""
        if self.streams is None or self.at != at:
            raise RuntimeError(
                f"block {at} needs the baton, but it "
                + ("is gone" if self.streams is None else f"stands after block {self.at}")
                + ": the nodes of a baton can be walked once, from the last to the first"
            )
        if [s._version for s in self.streams] != self.versions:
            raise RuntimeError(
                "the output of the chain was changed in place between forward and backward, so "
                "the activations cannot be computed again; change a clone() of it"
            )
        streams, self.streams = self.streams, None
        return streams


class ReversibleStep(Function):
    """One block as one node, number `at` from 1. It saves nothing."""

    @staticmethod
    def forward(ctx, x, baton, at, chain, *parameters):
        ctx.baton, ctx.at, ctx.tolerance, ctx.parameters = baton, at, chain.tolerance, parameters
        block, last = chain[at - 1], at == len(chain)
        ctx.f, ctx.g = Again(block.F), Again(block.G)
        x1, x2 = x.chunk(2, -1)
        ctx.unchanged = Unchanged(chain if last else block, x1, x2)  # the last is asked first
        y = cat(couple(ctx.f, ctx.g, x1, x2), -1)
        baton.put(at, y.detach().chunk(2, -1))
        return y

    @staticmethod
    def backward(ctx, dy):
        refuse_recording()
        ctx.unchanged.check_weights()
        y1, y2 = ctx.baton.take(ctx.at)
        dy1, dy2 = dy.chunk(2, -1)
        weights = Collector(ctx.parameters)
        x1, x2, dx1, dx2 = undo(ctx.f.into(weights), ctx.g.into(weights), y1, y2, dy1, dy2)
        ctx.unchanged.check_input(x1, x2, ctx.tolerance)
        if ctx.at > 1:
            ctx.baton.put(ctx.at - 1, (x1, x2))
        dx = cat([dx1, dx2], -1) if ctx.needs_input_grad[0] else None
        return dx, None, None, None, *weights.gradients(ctx.parameters)


def pass_on(chain, x):
    """The chain as a line of nodes that share one baton."""
    baton = Baton()
    for at, block in enumerate(chain, 1):
        x = ReversibleStep.apply(x, baton, at, chain, *block.parameters())
    return x
