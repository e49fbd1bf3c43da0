"""R41 hit 3. Issue: pytorch/pytorch #2721 (a FloatTensor made zero in place; what ran on the GPU is left out).
ends: ok
"""
import torch

a = torch.FloatTensor((5, 5))
print(a)
a.zero_()
v = torch.autograd.Variable(a, requires_grad=True)
n = v.norm()
n.backward()
print(v.grad, n)
print(v.type(), torch.FloatTensor(2, 3).shape)
