"""minigrad's reversible module as an Engine, so that one test runs on it and on PyTorch's.

minigrad has PyTorch's names, so a test that takes an `Engine` is written once. What differs is
where the module stands, and who says that F runs for the second time. tests/for_torch/engines.py
has the other.
"""

from __future__ import annotations

ROWS, WIDTH = 64, 8


class Engine:
    """`lib` has tensors and nn; blocks and chains are those of its reversible module.

    `kind` has the options of each chain: minigrad has three kinds.
    """

    def __init__(self, **kind):
        self.kind = kind

    def sequential(self, *blocks, **options):
        return self.Sequential(*blocks, **self.kind, **options)

    def chain(self, depth=6, make=None, **options):
        self.lib.manual_seed(0)
        blocks = [self.block(make) for _ in range(depth)]
        return self.sequential(*blocks, **options)

    def block(self, make=None):
        make = make or self.mlp
        return self.Block(make(), make())

    def mlp(self, width=WIDTH // 2, hidden=WIDTH):
        nn = self.lib.nn
        return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def large(self, width=16, hidden=32):
        """An F that returns about as much as it gets, so that sixteen blocks let rounding grow."""
        net = self.mlp(width, hidden)
        with self.lib.no_grad():
            for layer, entering in (net[0], width), (net[2], hidden):
                layer.weight.copy_(self.lib.randn(*layer.weight.shape) * (2 / entering) ** 0.5)
        return net

    def calls(self, function):
        """A module around a function."""

        class Calls(self.lib.nn.Module):
            def forward(self, u):
                return function(u)

        return Calls()

    def of(self, function, **options):
        """A chain with weights whose last G is `function`."""
        last = self.Block(self.mlp(), self.calls(function))
        return self.sequential(self.block(), last, **options)

    def random_state(self) -> str:
        """Where the random numbers are."""
        state = self.lib.get_rng_state()
        return str(state.tolist() if isinstance(state, self.lib.Tensor) else state)

    def data(self, rows=ROWS, width=WIDTH):
        self.lib.manual_seed(7)
        return self.lib.randn(rows, width, requires_grad=True), self.lib.randn(rows, width)

    def gradients(self, net, forward, x, dy):
        """[the output, the gradient of x, those of the weights], from the same random numbers."""
        self.lib.manual_seed(1)
        net.zero_grad()
        x.grad = None
        y = forward(x)
        y.backward(dy)
        return [y.detach(), x.grad, *[p.grad for p in net.parameters()]]

    def difference(self, net, x, dy):
        """The largest relative difference to the stored twin, over all gradients."""
        mine = self.gradients(net, net, x, dy)
        theirs = self.gradients(net, lambda x: self.stored(net, x), x, dy)
        return max(self.distance(*pair) for pair in zip(mine, theirs, strict=True))

    def distance(self, a, b):
        return float((a - b).abs().max()) / (float(b.abs().max()) or 1.0)


class Minigrad(Engine):
    def __init__(self, **kind):
        super().__init__(**kind)
        import minigrad
        from minigrad.core import modes
        from minigrad.reversible import ReversibleBlock, ReversibleSequential, chain

        self.halves = chain.halves
        self.lib, self.Block, self.Sequential = minigrad, ReversibleBlock, ReversibleSequential
        self.recomputing = lambda: modes.state.recomputing

    def stored(self, net, x):
        """The same blocks with every activation kept: what the chain must agree with."""
        x1, x2 = self.halves(x.to(net.stream_dtype or x.dtype))
        for block in net:
            x1, x2 = block(x1, x2)
        return self.lib.cat([x1, x2], -1).to(x.dtype)
