"""Q25 hit 2. Issue: pytorch/pytorch #54580 (a problem with deepcopy of a model).
What it does: forward keeps its output as an attribute of the module, then the model is deep-copied.
ends: RuntimeError: Only Tensors created explicitly by the user
Cause: the attribute is a tensor with a grad_fn, and only leaves can be deep-copied.
"""
import copy

import torch
from torch import nn

torch.manual_seed(0)


class Keeper(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 2, 3), nn.Conv2d(2, 1, 3)

    def forward(self, x):
        self.last = self.c2(self.c1(x))
        return self.last


net = Keeper()
out = net(torch.randn(1, 1, 8, 8))
print(round(out.mean().item(), 4))
twin = copy.deepcopy(net)
