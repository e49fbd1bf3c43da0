"""Repair of programs/070_two_losses_step_between.py.
Repair: both losses go backward before the one step.
ends: ok
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
print(round(first.item(), 4), round(second.item(), 4))
second.backward()
opt.step()
