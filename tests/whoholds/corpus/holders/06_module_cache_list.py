"""A tensor held by a cache list in a module."""
import torch
from torch import nn

torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.cache = []

    def forward(self, x):
        y = self.fc(x)
        self.cache.append(y)
        return y


net = Net()
for _ in range(4):
    net(torch.randn(2, 4))
TARGET = lambda: net.cache[2]
EXPECT = ['net.cache[2]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
