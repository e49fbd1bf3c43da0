"""Q23 hit 1. Issue: pytorch/pytorch #10348 (possible memory leak when exceptions are raised).
What it does: training steps that raise after forward; the caught exceptions are collected in a list.
ends: ok
Grows: each exception keeps its traceback, the traceback the frame, the frame the step's tensors.
"""
import gc

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 1))
errors = []


def step(x):
    hidden = net(x)
    loss = hidden.pow(2).mean()
    raise ValueError(f"stop at {loss.item():.4f}")


for i in range(5):
    try:
        step(torch.randn(16, 20))
    except ValueError as err:
        errors.append(err)
gc.collect()
print(len(errors), errors[-1])
