"""A tensor held by the momentum of SGD."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
net(torch.randn(2, 4)).sum().backward()
opt.step()
opt.zero_grad()
TARGET = lambda: opt.state[net.weight]["momentum_buffer"]
EXPECT = ["opt.state['weight'].momentum_buffer", ['opt', 'momentum_buffer', 'weight']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
