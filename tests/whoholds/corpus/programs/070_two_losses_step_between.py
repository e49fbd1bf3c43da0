"""Q40 hit 1. Issue: WOW5678/CompNet #2 (the in-place error at a backward).
What it does: one network, two losses from the same forward; the optimizer steps after the first backward.
ends: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
Cause: the step changes in place the weights that the second loss needs for its way back.
"""
import torch
from torch import nn

torch.manual_seed(0)


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


q = QNet()
opt = torch.optim.Adam(q.parameters())
values = q(torch.randn(4, 3))
first, second = values[:, 0].pow(2).mean(), values[:, 1].pow(2).mean()
opt.zero_grad()
first.backward(retain_graph=True)
opt.step()
print(round(first.item(), 4), round(second.item(), 4))
second.backward()
opt.step()
