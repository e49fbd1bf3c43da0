"""Q35 hit 1. Pull request: NeuroDiffGym/neurodiffeq #91 (support for L-BFGS).
What it does: a solver of u' = -u that passes a closure to the optimizer's step, whichever optimizer it has.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Solver:
    def __init__(self, net, opt):
        self.net, self.opt, self.history = net, opt, []

    def loss(self):
        t = torch.linspace(0, 1, 12)[:, None].requires_grad_(True)
        u = 1 + t * self.net(t)
        du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        return (du + u).pow(2).mean()

    def epoch(self):
        def closure():
            self.opt.zero_grad()
            loss = self.loss()
            loss.backward()
            return loss
        self.history.append(self.opt.step(closure).item())


net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
for opt in (torch.optim.Adam(net.parameters(), lr=0.01), torch.optim.LBFGS(net.parameters(), max_iter=3)):
    s = Solver(net, opt)
    for _ in range(3):
        s.epoch()
    print(round(s.history[0], 4), s.history[-1] < s.history[0])
