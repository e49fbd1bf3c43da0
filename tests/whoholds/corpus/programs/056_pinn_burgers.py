"""Q29 hit 1. Repository page: Physics-Informed-Neural-Networks-PyTorch (Burgers).
What it does: a net u(x, t) whose residual needs first and second derivatives; trained by L-BFGS with a closure.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Pinn(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 10), nn.Tanh(), nn.Linear(10, 1))

    def u(self, x, t):
        return self.net(torch.cat([x, t], 1))

    def residual(self, x, t):
        u = self.u(x, t)
        one = torch.ones_like(u)
        ut, ux = torch.autograd.grad(u, (t, x), one, create_graph=True)
        uxx = torch.autograd.grad(ux, x, one, create_graph=True)[0]
        return ut + u * ux - 0.01 * uxx


net = Pinn()
x = (torch.rand(20, 1) * 2 - 1).requires_grad_()
t = torch.rand(20, 1, requires_grad=True)
x0 = torch.linspace(-1, 1, 10)[:, None]
opt = torch.optim.LBFGS(net.parameters(), max_iter=5)
trace = []


def closure():
    opt.zero_grad()
    loss = net.residual(x, t).pow(2).mean() + (net.u(x0, 0 * x0) + torch.sin(3.1416 * x0)).pow(2).mean()
    loss.backward()
    trace.append(loss.item())
    return loss


opt.step(closure)
print(len(trace) > 1, round(trace[0], 4), trace[-1] < trace[0])
