"""Q31 hit 1. Code: arkrp/vae-lab, TrainingVAE.py.
What it does: a VAE of given encoder and decoder that returns a dict of five tensors.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class TwoHeads(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.mean, self.dev = nn.Linear(a, b), nn.Sequential(nn.Linear(a, b), nn.Softplus())

    def forward(self, x):
        return self.mean(x), self.dev(x)


class Vae(nn.Module):
    def __init__(self, enc, dec):
        super().__init__()
        self.enc, self.dec = enc, dec

    def forward(self, x):
        m, s = self.enc(x)
        z = m + torch.randn(m.size()) * s
        dm, ds = self.dec(z)
        return {"m": m, "s": s, "z": z, "dm": dm, "ds": ds}


vae = Vae(TwoHeads(6, 2), TwoHeads(2, 6))
opt = torch.optim.Adam(vae.parameters(), lr=0.02)
for step in range(4):
    x = torch.randn(16, 6)
    r = vae(x)
    kl = (r["m"] ** 2 + r["s"] ** 2 - 2 * r["s"].log() - 1).sum(1).mean() / 2
    loss = kl - torch.distributions.Normal(r["dm"], r["ds"] + 1e-3).log_prob(x).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
