"""R15 hit 3. Page: documentation of torch.utils.checkpoint (part of a model recomputed in backward).
ends: ok
"""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
runs = []


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 6))

    def forward(self, x):
        runs.append(torch.is_grad_enabled())
        return self.net(x)


first, part, last = nn.Linear(6, 6), Part(), nn.Linear(6, 1)
x = torch.randn(4, 6)
for reentrant in (True, False):
    h = first(x)
    out = last(checkpoint(part, h, use_reentrant=reentrant)).sum()
    print(out.grad_fn.name(), runs)
    out.backward()
    print(runs, part.net[0].weight.grad.shape)
    runs.clear()
