"""A tensor held by an attribute of ctx in a custom Function."""
import torch

torch.manual_seed(0)
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.extra = x.detach() * 2
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g


out = Fn.apply(torch.randn(4, 4, requires_grad=True))
TARGET = lambda: out.grad_fn.extra
EXPECT = ['out.grad_fn.extra', ['out', 'grad_fn', 'extra']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
