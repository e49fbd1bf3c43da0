import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)))


class Report:
    best = []

    def offer(self, out, loss):
        self.best.append((loss.item(), out))
        self.best.sort(key=lambda pair: pair[0])
