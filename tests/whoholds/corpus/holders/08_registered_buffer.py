"""A tensor held by a registered buffer."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Module()
net.register_buffer("mask", torch.ones(5, 5))
TARGET = lambda: net.mask
EXPECT = ['net.mask']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
