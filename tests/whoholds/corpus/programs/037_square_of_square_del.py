"""Q24 hit 3. Forum thread: discuss.pytorch.org/t/6741 (debug causes of memory leaks).
What it does: squares twice and deletes the middle name, which the graph still holds.
ends: ok
"""
import torch

torch.manual_seed(0)
x = torch.randn(100, requires_grad=True)
y = x ** 2
z = y ** 2
del y
kept = z.grad_fn._saved_self
print(tuple(kept.shape), round(kept.sum().item(), 4))
del kept
z.sum().backward()
print(round(x.grad.abs().sum().item(), 2))
