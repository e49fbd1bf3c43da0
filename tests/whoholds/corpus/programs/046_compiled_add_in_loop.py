"""Q21 hit 1. Issue: pytorch/pytorch #174468 (memory leak by torch.compile), here with backend eager.
What it does: a compiled function that adds one, called in a loop.
ends: ok
"""
import torch

torch.manual_seed(0)


def plus(x):
    return x + 1


fast = torch.compile(plus, backend="eager")
total = 0.0
for i in range(20):
    total += fast(torch.randn(9, 16)).sum().item()
print(round(total, 2))
