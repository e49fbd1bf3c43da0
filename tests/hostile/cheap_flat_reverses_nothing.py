# kind: cheap
# exercise: FlatChain
# how: the input saved and all run again: nothing is reversed
# needs: the caller holds x, so saving it is free
# deserves: 4
import minigrad as mg
from course.coupled import couple, halves


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        ctx.blocks = blocks
        ctx.save_for_backward(x)
        return plain(x, blocks)

    @staticmethod
    def backward(ctx, dy):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = plain(x, ctx.blocks)
        y.backward(dy)
        return x.grad, None


def plain(x, blocks):
    y1, y2 = halves(x)
    for f, g in blocks:
        y1, y2 = couple(f, g, y1, y2)
    return mg.cat([y1, y2], -1)
