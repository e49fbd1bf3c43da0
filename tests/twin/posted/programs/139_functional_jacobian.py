"""R20 hit 2. Page: PyTorch's tutorial The Fundamentals of Autograd (its end: Jacobian and vector products).
ends: ok
"""
import torch


def exp_adder(x, y):
    return 2 * x.exp() + 3 * y


inputs = (torch.tensor([0.5]), torch.tensor([0.25]))
print(torch.autograd.functional.jacobian(exp_adder, inputs))
inputs = (torch.linspace(0, 1, 3), torch.linspace(1, 2, 3))
print(torch.autograd.functional.jacobian(exp_adder, inputs))


def do_some_doubling(x):
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    return y


inputs = torch.tensor([0.3, -1.0, 0.5])
my_gradients = torch.tensor([0.1, 1.0, 0.0001])
print(torch.autograd.functional.vjp(do_some_doubling, inputs, v=my_gradients))
