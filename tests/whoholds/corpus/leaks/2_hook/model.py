import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.down(torch.tanh(self.up(x)))


class Watch:
    def __init__(self, layer):
        self.seen = {}
        self.count = 0
        layer.register_forward_hook(self.note)

    def note(self, layer, args, out):
        self.seen[self.count] = out
        self.count += 1
