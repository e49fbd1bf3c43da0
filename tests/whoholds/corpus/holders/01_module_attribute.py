"""A tensor held by a plain attribute of a module."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 2)
net.last = torch.randn(8, 8)
TARGET = lambda: net.last
EXPECT = ['net.last']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
