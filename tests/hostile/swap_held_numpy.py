# kind: elsewhere
# exercise: SwapChain
# how: as z_flat_held_numpy
# deserves: 3
import minigrad as mg


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        ctx.fns = fns
        leaf = x.detach().requires_grad_()
        with mg.enable_grad(), mg.autograd.graph.saved_tensors_hooks(
            lambda t: t if t.is_leaf else t.detach().numpy().copy(),
            lambda kept: kept if isinstance(kept, mg.Tensor) else mg.tensor(kept),
        ):
            a, b = leaf.chunk(2, 1)
            for f in fns:
                a, b = b, a + f(b)
            y = mg.cat([a, b], 1)
        ctx.graph = leaf, y
        ctx.save_for_backward(x)
        return y.detach()

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        (leaf, y), ctx.graph = ctx.graph, None
        waste = mg.zeros(12 * dy.numel())
        del waste
        half = x.chunk(2, 1)[0]
        for f in ctx.fns:
            f(half), f(half)
        y.backward(dy)
        return leaf.grad, None
