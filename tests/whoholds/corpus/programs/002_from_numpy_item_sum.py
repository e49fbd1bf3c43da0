"""Q01 hit 5. Forum thread: discuss.pytorch.org/t/27253 (out of memory after more than 8000 iterations).
What it does: makes tensors from numpy arrays in every turn and sums the loss as a plain number.
ends: ok
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)


class Scorer(nn.Module):
    def __init__(self, entities=20, dim=6):
        super().__init__()
        self.ent = nn.Embedding(entities, dim)
        self.rel = nn.Embedding(4, dim)

    def forward(self, h, r, t):
        return (self.ent(h) + self.rel(r) - self.ent(t)).norm(dim=1)


model = Scorer()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
running = 0.0
for step in range(40):
    head = torch.from_numpy(rng.integers(0, 20, 8))
    rel = torch.from_numpy(rng.integers(0, 4, 8))
    tail = torch.from_numpy(rng.integers(0, 20, 8))
    bad = torch.from_numpy(rng.integers(0, 20, 8))
    loss = F.relu(1 + model(head, rel, tail) - model(head, rel, bad)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    running += loss.item()
print(round(running / 40, 4))
