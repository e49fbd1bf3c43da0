"""R21 hit 1. Issue: pytorch/tutorials #3652 (retain_grad of a leaf, of a result, of what needs no gradient).
ends: RuntimeError
"""
import torch

leaf = torch.tensor([1.0, 2.0], requires_grad=True)
leaf.retain_grad()
print(leaf.retains_grad, leaf.is_leaf)
mid = leaf * 3
mid.retain_grad()
print(mid.retains_grad)
(mid**2).sum().backward()
print(mid.grad, leaf.grad)
torch.ones(2).retain_grad()
