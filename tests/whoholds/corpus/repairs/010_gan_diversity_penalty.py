"""Repair of programs/010_gan_diversity_penalty.py.
Repair: both losses are added and go backward once.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(6, 10), nn.LeakyReLU(0.2))
        self.score = nn.Linear(10, 1)

    def forward(self, x, want_features=False):
        f = self.feat(x)
        return (self.score(f), f) if want_features else self.score(f)


def spectrum_gap(a, b):
    ea = torch.linalg.eigvalsh(F.normalize(a) @ F.normalize(a).t())
    eb = torch.linalg.eigvalsh(F.normalize(b) @ F.normalize(b).t())
    return F.mse_loss(ea, eb)


g = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 6))
d = D()
opt_g = torch.optim.Adam(g.parameters(), lr=1e-3)
real = torch.randn(5, 6)
for step in range(2):
    fake = g(torch.randn(5, 4))
    opt_g.zero_grad()
    pred, phi_fake = d(fake, True)
    loss_fake = -pred.mean()
    _, phi_real = d(real, True)
    penalty = spectrum_gap(phi_fake, phi_real)
    (loss_fake + penalty).backward()
    opt_g.step()
    print(round(loss_fake.item(), 4), round(penalty.item(), 4))
