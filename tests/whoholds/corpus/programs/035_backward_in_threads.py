"""Q22 hit 3. Pull request: pytorch/pytorch #33157 (graph level parallelism on the CPU).
What it does: three threads each run forward and backward of their own model copy; gradients are averaged.
ends: ok
"""
import copy
import threading

import torch
from torch import nn

torch.manual_seed(0)
base = nn.Linear(5, 1)
models = [copy.deepcopy(base) for _ in range(3)]
data = [torch.randn(6, 5) for _ in range(3)]


def work(m, x):
    m(x).pow(2).mean().backward()


crew = [threading.Thread(target=work, args=a) for a in zip(models, data)]
for t in crew:
    t.start()
for t in crew:
    t.join()
mean = sum(m.weight.grad for m in models) / 3
print(round(mean.norm().item(), 4))
