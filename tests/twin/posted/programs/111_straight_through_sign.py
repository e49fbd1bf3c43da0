"""R06 hit 1. Code: nathanjpaek/kb-pilot, STLayer.py.
ends: ok
"""
import torch


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.sign(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(-1.0, 1.0)


class STLayer(torch.nn.Module):
    def __init__(self):
        super(STLayer, self).__init__()
        self.func = StraightThrough.apply

    def forward(self, x):
        return self.func(x)


torch.manual_seed(0)
x = torch.rand([4, 4, 4, 4], requires_grad=True)
layer = STLayer()
y = layer(x - 0.5)
print(y.grad_fn.name(), y.unique())
(y * torch.tensor([0.5, 3.0, -2.0, 1.0])).sum().backward()
print(x.grad[0, 0, 0])
