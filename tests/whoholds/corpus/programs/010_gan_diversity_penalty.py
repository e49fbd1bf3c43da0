"""Q05 hit 2. Issue: facebookresearch/pytorch_GAN_zoo #58 (GDPP misses a retain_graph).
What it does: the generator's adversarial loss goes backward, then a diversity penalty on D's features of the same fake.
ends: RuntimeError: Trying to backward through the graph a second time
Cause: both losses share the graph of the fake and of D's features, and the first backward frees it.
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
    loss_fake.backward()
    _, phi_real = d(real, True)
    penalty = spectrum_gap(phi_fake, phi_real)
    penalty.backward()
    opt_g.step()
    print(round(loss_fake.item(), 4), round(penalty.item(), 4))
