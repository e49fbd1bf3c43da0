"""Q12 hit 1. Issue: pytorch/pytorch #5569 (autograd.Function memory leak).
What it does: a copying Function puts its own output on ctx as an attribute; backward is never called.
ends: ok
Grows: output -> grad_fn -> ctx -> output is a cycle that runs through the graph: on torch 2.13 it lives until the garbage collector runs.
"""
import weakref

import torch
from torch import nn

torch.manual_seed(0)


class CopyFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, features, weight):
        ctx.kept = features.clone()
        return ctx.kept

    @staticmethod
    def backward(ctx, up):
        return up, None


marks = []
for i in range(6):
    weight = nn.Parameter(torch.randn(30, 30))
    out = CopyFn.apply(torch.rand(30, 30), weight)
    marks.append(weakref.ref(out))
    print(i, round(out.sum().item(), 4), tuple(out.shape))
del out, weight
print("alive before collection", sum(m() is not None for m in marks))
