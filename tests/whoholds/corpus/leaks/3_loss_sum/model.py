import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)))


class Meter:
    def __init__(self):
        self.total = 0
        self.n = 0

    def add(self, value):
        self.total = self.total + value
        self.n += 1

    def mean(self):
        return float(self.total) / self.n
