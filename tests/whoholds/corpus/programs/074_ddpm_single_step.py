"""Q32 hit 2. Code: Joqsan/some-papers-in-pytorch, ddpm (a scheduler with a single sampling step).
What it does: a scheduler object adds noise and does one step back; the loop around it is the caller's.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Schedule:
    def __init__(self, n):
        self.beta = torch.linspace(1e-3, 0.1, n)
        self.bar = torch.cumprod(1 - self.beta, 0)

    def add_noise(self, x, e, t):
        a = self.bar[t][:, None]
        return a.sqrt() * x + (1 - a).sqrt() * e

    def step(self, e, t, x):
        m = (x - self.beta[t] / (1 - self.bar[t]).sqrt() * e) / (1 - self.beta[t]).sqrt()
        return m + (self.beta[t].sqrt() * torch.randn_like(x) if t else 0)


sched, eps = Schedule(8), nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(eps.parameters(), lr=0.01)
for _ in range(4):
    x, e, t = torch.randn(16, 2) * 0.1 + 1, torch.randn(16, 2), torch.randint(0, 8, (16,))
    loss = F.mse_loss(eps(torch.cat([sched.add_noise(x, e, t), t[:, None] / 8], 1)), e)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(round(loss.item(), 4))
with torch.no_grad():
    x = torch.randn(5, 2)
    for t in reversed(range(8)):
        x = sched.step(eps(torch.cat([x, torch.full((5, 1), t / 8)], 1)), t, x)
print(round(x.mean().item(), 4))
