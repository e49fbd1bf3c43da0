"""Q29 hit 2. Guide: moduledebug.com (physics-informed neural networks).
What it does: boundary, start and residual losses of the heat equation, trained by Adam.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Heat(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList([nn.Linear(2, 12), nn.Linear(12, 12), nn.Linear(12, 1)])

    def forward(self, xt):
        for layer in self.l[:-1]:
            xt = torch.tanh(layer(xt))
        return self.l[-1](xt)


def d(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


net = Heat()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(3):
    xt = torch.rand(16, 2, requires_grad=True)
    u = net(xt)
    g = d(u, xt)
    physics = (g[:, 1] - 0.1 * d(g[:, 0], xt)[:, 0]).pow(2).mean()
    edge = torch.cat([torch.zeros(8, 1), torch.rand(8, 1)], 1)
    loss = physics + net(edge).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
