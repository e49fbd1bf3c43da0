"""Repair of programs/055_reversible_class_outputs.py.
Repair: the class attribute is cleared after every backward pass.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Rev(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layer, x1, x2):
        ctx.layer = layer
        with torch.no_grad():
            y1 = x1 + layer.f(x2)
            y2 = x2 + layer.g(y1)
        Rev.outs = (y1.detach(), y2.detach())
        return y1, y2

    @staticmethod
    def backward(ctx, d1, d2):
        y1, y2 = (t.requires_grad_() for t in Rev.outs)
        with torch.enable_grad():
            gy = ctx.layer.g(y1)
            gy.backward(d2)
        with torch.no_grad():
            x2, d1 = y2 - gy, d1 + y1.grad
        with torch.enable_grad():
            x2.requires_grad_()
            fx = ctx.layer.f(x2)
            fx.backward(d1)
        with torch.no_grad():
            Rev.outs = ((y1 - fx).detach(), x2.detach())
            return None, d1, d2 + x2.grad


class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.f, self.g = nn.Linear(n, n), nn.Sequential(nn.Linear(n, n), nn.Tanh())

    def forward(self, a, b):
        return Rev.apply(self, a, b)


net = nn.ModuleList(Layer(4) for _ in range(3))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(3):
    a, b = (torch.randn(5, 4, requires_grad=True) for _ in range(2))
    for layer in net:
        a, b = layer(a, b)
    loss = (a + b).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    Rev.outs = None
    print(step, round(loss.item(), 4))
