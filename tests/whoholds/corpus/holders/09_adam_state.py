"""A tensor held by the state of Adam."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.ModuleDict({"fc": nn.Linear(4, 4)})
opt = torch.optim.Adam(net.parameters())
net["fc"](torch.randn(2, 4)).sum().backward()
opt.step()
opt.zero_grad()
TARGET = lambda: opt.state[net["fc"].weight]["exp_avg"]
EXPECT = ["opt.state['fc.weight'].exp_avg", 'opt.state[net["fc"].weight]["exp_avg"]', ['opt', 'exp_avg', 'fc.weight']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
