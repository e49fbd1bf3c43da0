"""A module keeps an activation of each step in a list, and the graph that made it."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.out, self.cache = torch.nn.Linear(64, 64), torch.nn.Linear(64, 1), []

    def forward(self, x):
        h = torch.tanh(self.fc(x))
        self.cache.append(h)
        return self.out(h)


net = Net()


def step():
    net(torch.ones(32, 64)).sum().backward()
