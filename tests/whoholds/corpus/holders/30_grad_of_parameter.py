"""A tensor held by the grad of a parameter."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 4)
net(torch.randn(2, 4)).sum().backward()
TARGET = lambda: net.weight.grad
EXPECT = ['net.weight.grad']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
