# kind: pattern
# exercise: GeluLinear
# how: a class pattern names the array: match t: case mg.Tensor(_array=a), a keyword that no node of a name or a constant holds
# deserves: 4
import minigrad as mg


def take(t):
    match t:
        case mg.Tensor(_array=found):
            return found.tolist()


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        value = F.gelu(u)
        ctx.save_for_backward(u, w)
        ctx.shape, ctx.kept = value.shape, take(value)
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            (for_u,) = mg.autograd.grad(F.gelu(leaf), leaf, grad @ w.T)
        return for_u, mg.tensor(ctx.kept).reshape(ctx.shape).T @ grad
