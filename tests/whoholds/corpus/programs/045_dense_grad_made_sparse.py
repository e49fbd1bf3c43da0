"""Q20 hit 1. Notes text: SparseAdam's documentation (replace dense gradients by sparse ones by hand).
What it does: a parameter's dense gradient is turned into a sparse one before SparseAdam steps.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
table = nn.Parameter(torch.randn(10, 3))
opt = torch.optim.SparseAdam([table], lr=0.1)
for step in range(3):
    rows = torch.tensor([step, step + 1])
    loss = table[rows].pow(2).sum()
    opt.zero_grad()
    loss.backward()
    table.grad = table.grad.to_sparse()
    opt.step()
    print(step, table.grad._nnz(), round(loss.item(), 4))
