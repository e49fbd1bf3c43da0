"""Repair of programs/028_attention_super_miscalled.py.
Repair: super() is called as it should be.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Heads(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.head_dim = size // heads
        self.keys = nn.Linear(self.head_dim, self.head_dim, bias=False)


net = Heads(8, 2)
print(net)
