import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 1)
        self.trace = []

    def forward(self, x):
        h = torch.tanh(self.up(x))
        self.trace.append(h)
        return self.down(h)
