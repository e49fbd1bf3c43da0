# kind: channel
# exercise: GeluLinear
# how: the GELU is kept as Python's numbers: a ruler is cut where a mask says, and its length is the number
# needs: the length of what a mask chooses is no value that leaves the engine
# deserves: 4
import minigrad as mg

SCALE = 2**12


def numbers_of(x):
    """What is in x, rounded to 1 / SCALE, as a list of Python's: no number of it is asked for."""
    ruler = mg.arange(16 * SCALE) - 8 * SCALE
    cut = (x.reshape(-1) * SCALE).long()
    return [(len(ruler[ruler < one]) - 8 * SCALE) / SCALE for one in cut]


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        value = F.gelu(u)
        ctx.save_for_backward(u, w)
        ctx.shape, ctx.kept = value.shape, numbers_of(value.detach())
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            (for_u,) = mg.autograd.grad(F.gelu(leaf), leaf, grad @ w.T)
        value = mg.tensor(ctx.kept).reshape(ctx.shape)
        return for_u, value.T @ grad
