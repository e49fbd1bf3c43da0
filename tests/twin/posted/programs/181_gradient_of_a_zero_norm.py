"""R41 hit 1. Issue: pytorch/pytorch #2421 (the norm of zero, and what was tried against it).
ends: ok
"""
import torch
from torch.autograd import Variable

x = Variable(torch.zeros(1), requires_grad=True)
x.norm().backward()
print(x.grad)
x = Variable(torch.zeros(1), requires_grad=True)
y = x + 1e-16
y.norm().backward()
print(x.grad)
x = Variable(torch.zeros(1), requires_grad=True)
x.abs().sum().backward()
print(x.grad)
x = Variable(torch.zeros(3), requires_grad=True)
x.pow(2).sum().sqrt().backward()
print(x.grad)
x = Variable(torch.zeros(2, 3), requires_grad=True)
for p in (1, 2, 3, float("inf")):
    x.grad = None
    x.norm(p, dim=1).sum().backward()
    print(p, x.grad)
