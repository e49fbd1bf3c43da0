# kind: cheap
# exercise: SwapChain
# how: the input saved and all run again: nothing is reversed
# needs: the caller holds x, so saving it is free
# deserves: 4
import minigrad as mg
from course.coupled import halves


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        ctx.fns = fns
        ctx.save_for_backward(x)
        return plain(x, fns)

    @staticmethod
    def backward(ctx, dy):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = plain(x, ctx.fns)
        y.backward(dy)
        return x.grad, None


def plain(x, fns):
    x1, x2 = halves(x)
    for fn in fns:
        x1, x2 = x2, x1 + fn(x2)
    return mg.cat([x1, x2], -1)
