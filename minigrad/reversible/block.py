"""The modules: a reversible block, and a chain of them whose memory does not grow with depth."""

from __future__ import annotations

from functools import partial

from minigrad.nn.containers import Sequential
from minigrad.nn.module import Module
from minigrad.reversible.baton import pass_on
from minigrad.reversible.chain import ReversibleChain
from minigrad.reversible.coupling import couple, uncouple
from minigrad.reversible.recompute import ran


class ReversibleBlock(Module):
    """Additive coupling of two streams: y1 = x1 + F(x2), y2 = x2 + G(y1).

    Called by itself it is a plain residual block, whose graph stores its activations.
    """

    def __init__(self, F, G):
        if not (isinstance(F, Module) and isinstance(G, Module)):
            raise TypeError("F and G must be Modules, so that the chain knows their parameters")
        self.F, self.G = F, G

    def forward(self, x1, x2):
        return couple(partial(ran, self.F), partial(ran, self.G), x1, x2)

    def inverse(self, y1, y2):
        return uncouple(partial(ran, self.F), partial(ran, self.G), y1, y2)


class ReversibleSequential(Sequential):
    """Reversible blocks, one after the other, on the two halves of the input's last axis.

    The chain is one node that saves its output only. Backward computes every activation again,
    block by block, and adds each block's gradients to `.grad` when its input has come back; so its
    memory is the same at every depth. A weight with hooks, and a walk for some gradients only
    (`autograd.grad`, `inputs=`), get theirs when the node returns: then it holds them till there.

    stream_dtype: add and subtract in this dtype, `minigrad.float64` say, whatever F and G
        compute in. The inverse is then exact enough to give the stored network's gradients.
    trimmed: kill four references that the readable version holds: the input's halves during
        forward, the streams before each block, the streams after it in backward, and the
        gradients after it. Each sum is written over its left operand instead.
    baton: one node per block, which saves nothing, instead of one for the chain.
    tolerance: how far 64 numbers of the input may be off, relatively, when they come back. It
        finds an F that is not deterministic (its own generator, a counter, train/eval switched),
        unless the difference hides in the other numbers or below the tolerance; None looks away.
        What writes through `.data` or `.numpy()` goes unseen but for this.
    """

    def __init__(self, *blocks, stream_dtype=None, trimmed=False, baton=False, tolerance=1e-2):
        for block in blocks:
            if not isinstance(block, ReversibleBlock):
                raise TypeError(f"expected ReversibleBlocks, but got {type(block).__name__}")
        if trimmed and baton:
            raise ValueError("a chain is either trimmed or a baton; choose one")
        super().__init__(*blocks)
        self.stream_dtype, self.tolerance = stream_dtype, tolerance
        self.trimmed, self.baton = trimmed, baton

    def forward(self, x):
        if not x.ndim or x.shape[-1] % 2 or not x.shape[-1]:
            raise ValueError(
                "a reversible chain splits the last axis in halves, so its length must be even, "
                f"but the input's shape is {list(x.shape)}"
            )
        if not x.dtype.is_floating_point:
            raise ValueError(f"a reversible chain adds real numbers: make {x.dtype} a float")
        streams = x.to(self.stream_dtype or x.dtype)
        if self.baton:
            y = pass_on(self, streams)
        else:
            y = ReversibleChain.apply(streams, self, *self.parameters())
        return y.to(x.dtype)
