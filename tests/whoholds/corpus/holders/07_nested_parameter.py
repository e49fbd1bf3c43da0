"""A tensor held by a parameter of a nested module."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 2)))
TARGET = lambda: net[1][1].weight
EXPECT = ['net[1][1].weight', 'net.1.1.weight', "net.get_parameter('1.1.weight')"]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
