"""R30 hit 1. Code: gao-hongnan/omniverse, notes on LoRA (a module that forgets super().__init__()).
ends: AttributeError
"""
import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, in_dim, out_dim, rank, alpha, dropout):
        self.linear = nn.Linear(in_dim, out_dim, bias=False)
        self.lora_a = nn.Linear(in_dim, rank, bias=False)
        self.lora_b = nn.Linear(rank, out_dim, bias=False)
        self.rank = rank
        self.alpha = alpha
        self.dropout = nn.Dropout(p=dropout)
        self.linear.weight.requires_grad = False
        self.lora_a.weight.requires_grad = True
        self.lora_b.weight.requires_grad = True

    def forward(self, x):
        frozen_out = self.linear(x)
        lora_out = self.lora_b(self.lora_a(self.dropout(x)))
        return frozen_out + (self.alpha / self.rank) * lora_out


layer = LoRALinear(4, 3, 2, 1.0, 0.0)
print(layer(torch.ones(1, 4)).shape)
