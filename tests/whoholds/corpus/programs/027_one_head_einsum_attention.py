"""Q14 hit 1. Code: STICKER1998/AI-in-Finance, notebooks/Topic1.md.
What it does: a one-head self-attention with einsum, trained to copy the first place.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class OneHead(nn.Module):
    def __init__(self, d, dk, dv):
        super().__init__()
        self.dk = dk
        self.q, self.k, self.v = (nn.Linear(d, n, bias=False) for n in (dk, dk, dv))

    def forward(self, x):
        s = torch.einsum("bqd,bkd->bqk", self.q(x), self.k(x))
        return torch.einsum("bqk,bkd->bqd", torch.softmax(s / self.dk ** 0.5, dim=2), self.v(x))


att = OneHead(6, 4, 6)
opt = torch.optim.Adam(att.parameters(), lr=0.02)
for step in range(4):
    x = torch.randn(3, 5, 6)
    loss = F.mse_loss(att(x), x[:, :1].expand_as(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
