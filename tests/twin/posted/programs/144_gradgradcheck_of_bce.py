"""R22 hit 2. Issue: pytorch/pytorch #59477 (second derivative of binary_cross_entropy summed).
ends: ok
"""
import torch

torch.manual_seed(0)
x = torch.rand(3, 3, dtype=torch.double, requires_grad=True)
y = torch.rand(3, 3, dtype=torch.double)
f = lambda x, y: torch.nn.functional.binary_cross_entropy(x, y, reduction="sum")
print(torch.autograd.gradcheck(f, [x, y]))
print(torch.autograd.gradgradcheck(f, [x, y]))
