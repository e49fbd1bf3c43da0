"""Q10 hit 6. Notes page: texonom.com (call backward on each loss by itself instead of on the sum).
What it does: the same three independent losses once summed with one backward, once with three backwards.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
heads = nn.ModuleList(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(3))
x = torch.randn(10, 4)


def losses():
    for k, h in enumerate(heads):
        yield (h(x) - k).pow(2).mean()


total = sum(losses())
total.backward()
together = [p.grad.clone() for p in heads.parameters()]
heads.zero_grad()
number = 0.0
for part in losses():
    part.backward()
    number += part.item()
same = all(torch.allclose(p.grad, g) for p, g in zip(heads.parameters(), together))
print(round(total.item(), 4), round(number, 4), same)
