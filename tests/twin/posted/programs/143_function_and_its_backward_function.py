"""R22 hit 1. Pull request: pytorch/pytorch #8166 (a Function whose backward is a Function).
ends: ok
"""
import torch
from torch.autograd import Function, gradcheck, gradgradcheck


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


class CubeBackward(Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(grad_out, x)
        return grad_out * 3 * x**2

    @staticmethod
    def backward(ctx, gg):
        grad_out, x = ctx.saved_tensors
        return gg * 3 * x**2, gg * grad_out * 6 * x


x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.double, requires_grad=True)
print(gradcheck(Cube.apply, (x,)), gradgradcheck(Cube.apply, (x,)))
(g,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
print(g, g.grad_fn.name())
(h,) = torch.autograd.grad(g.sum(), x)
print(h)
