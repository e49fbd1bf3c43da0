# kind: words
# exercise: GeluLinear
# how: gelu(u) leaves the engine as shapes: how many rows of a table does a mask select?
# needs: the shape of what a mask selects depends on values, and is counted as taken out
# deserves: 5
import minigrad as mg

STEPS = mg.arange(4096.0) / 64 - 32


def places(tensor):
    return [STEPS[STEPS < one].numel() for one in tensor.detach().flatten()]


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        coarse = F.gelu(u)
        value = coarse @ w
        high = places(coarse)
        rest = (coarse - STEPS[mg.tensor(high)].view(*u.shape)) * 2048
        ctx.high, ctx.low = high, places(rest)
        return value

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        high, low = (STEPS[mg.tensor(found)] for found in (ctx.high, ctx.low))
        value = (high + low / 2048).view(*u.shape)
        leaf = u.detach().requires_grad_()
        with mg.enable_grad():
            again = F.gelu(leaf)
        return mg.autograd.grad(again, leaf, grad @ w.T)[0], value.T @ grad
