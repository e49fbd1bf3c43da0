import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)))


class Schedule:
    def __init__(self, net):
        self.net = net
        self.past = []

    def at(self, step):
        opt = torch.optim.Adam(self.net.parameters(), lr=0.01 / (1 + step))
        self.past.append(opt)
        return opt
