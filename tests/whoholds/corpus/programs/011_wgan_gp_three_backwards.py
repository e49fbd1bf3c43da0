"""Q06 hit 1. Issue: caogang/wgan-gp #21 (Memory Leak).
What it does: WGAN-GP critic with separate backward calls for real, fake and the penalty, gradients adding up.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.main(x).view(-1)


def penalty(critic, real, fake, lam=10.0):
    a = torch.rand(real.size(0), 1)
    mix = (a * real + (1 - a) * fake).requires_grad_(True)
    score = critic(mix)
    grads = torch.autograd.grad(score, mix, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean() * lam


critic = Critic()
gen = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
minus = torch.tensor(-1.0)
for step in range(4):
    real = torch.randn(12, 2) + 2
    with torch.no_grad():
        fake = gen(torch.randn(12, 2))
    critic.zero_grad()
    s_real = critic(real).mean()
    s_real.backward(minus)
    s_fake = critic(fake).mean()
    s_fake.backward()
    gp = penalty(critic, real, fake)
    gp.backward()
    opt.step()
    print(step, round((s_fake - s_real + gp).item(), 4))
