# kind: identity
# exercise: GeluLinear
# how: the class's first method comes from a helper cell, so that cell's file is the learner's, and the lines of forward, which take all values of the GELU out, are nobody's
# deserves: 4
import minigrad as mg

def first(ctx):
    pass

# %% GeluLinear
class GeluLinear(mg.autograd.Function):
    __call__ = first

    @staticmethod
    def forward(ctx, u, w):
        value = F.gelu(u)
        ctx.save_for_backward(u, w)
        ctx.kept = value.tolist()
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            (for_u,) = mg.autograd.grad(F.gelu(leaf), leaf, grad @ w.T)
        value = mg.tensor(ctx.kept)
        return for_u, value.T @ grad
