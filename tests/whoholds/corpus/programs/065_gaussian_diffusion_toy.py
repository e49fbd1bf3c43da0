"""Q32 hit 1. Code: Shaokai9/AI4LifeScience_ECNU, simulation_V.py (there by a library, here written out).
What it does: a diffusion object around a small net gives an L1 loss for pictures, then samples backwards in time.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Diffusion(nn.Module):
    def __init__(self, net, steps):
        super().__init__()
        self.net, self.steps = net, steps
        self.register_buffer("bar", torch.cumprod(1 - torch.linspace(1e-3, 0.2, steps), 0))

    def forward(self, x0):
        t = torch.randint(0, self.steps, (x0.size(0),))
        noise, a = torch.randn_like(x0), self.bar[t].view(-1, 1, 1, 1)
        return F.l1_loss(self.net(a.sqrt() * x0 + (1 - a).sqrt() * noise), noise)

    @torch.no_grad()
    def sample(self, n):
        x = torch.randn(n, 1, 6, 6)
        for t in reversed(range(self.steps)):
            e, a = self.net(x), self.bar[t]
            before = self.bar[t - 1] if t else torch.tensor(1.0)
            x0 = (x - (1 - a).sqrt() * e) / a.sqrt()
            x = before.sqrt() * x0 + (1 - before).sqrt() * e
        return x


d = Diffusion(nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.SiLU(), nn.Conv2d(4, 1, 3, padding=1)), 10)
loss = d(torch.rand(4, 1, 6, 6))
loss.backward()
s = d.sample(2)
print(round(loss.item(), 4), tuple(s.shape), round(s.mean().item(), 3))
