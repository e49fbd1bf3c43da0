"""R06 hit 2. Code: kyegomez/BitNet, straight_through_estimator.py.
ends: ok
"""
import torch
import torch.nn as nn


class STEFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return torch.sign(torch.clamp(input, min=-1.0, max=1.0))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class STE(nn.Module):
    def forward(self, input):
        return STEFunc.apply(input)


torch.manual_seed(0)
x = torch.randn(1, 3, 4, 4)
ste = STE()
y = ste(x)
print(y)
x = torch.tensor([-2.0, 0.0, 0.3], requires_grad=True)
y = ste(x)
print(y)
y.backward(torch.tensor([1.0, 2.0, 3.0]))
print(x.grad)
