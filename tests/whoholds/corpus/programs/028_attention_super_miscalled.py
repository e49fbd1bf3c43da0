"""Q14 hit 3. Code: abinladin/osact-6, transformer.py.
What it does: a multi-head module whose constructor calls super() wrongly.
ends: TypeError: 'super' object is not callable
Cause: the class and self stand in a second pair of brackets after super().
"""
import torch
from torch import nn

torch.manual_seed(0)


class Heads(nn.Module):
    def __init__(self, size, heads):
        super()(Heads, self).__init__
        self.head_dim = size // heads
        self.keys = nn.Linear(self.head_dim, self.head_dim, bias=False)


net = Heads(8, 2)
print(net)
