"""R07 hit 2. Code: FaithMai/TransferLearningProject, MCD_DA_Function.py; a Function of old, made and called.
ends: RuntimeError
"""
import torch
import torch.nn.functional as F
from torch.autograd import Function


class GradReverse(Function):
    def __init__(self, lambd):
        self.lambd = lambd

    def forward(self, x):
        return x.view_as(x)

    def backward(self, grad_output):
        return grad_output * -self.lambd


def grad_reverse(x, lambd=1.0):
    return GradReverse(lambd)(x)


def discrepancy(out1, out2):
    return torch.mean(torch.abs(F.softmax(out1, dim=1) - F.softmax(out2, dim=1)))


x = torch.arange(6.0).view(2, 3).requires_grad_()
d = discrepancy(x, x.flip(1))
d.backward()
print(d.item(), x.grad.shape)
print(grad_reverse(x))
