"""Q26 hit 3. Code: Adenialzz/SimpleImageGeneration, ema.py.
What it does: an average whose result is bound to a loop name only, so the averaged model never changes.
ends: ok
"""
import copy

import torch
from torch import nn

torch.manual_seed(0)


class Ema:
    def __init__(self, decay):
        self.decay = decay

    def mix(self, old, new):
        return new if old is None else old * self.decay + (1 - self.decay) * new

    def update(self, avg, model):
        for a, m in zip(avg.parameters(), model.parameters()):
            a = self.mix(a.data, m.data)


net = nn.Linear(3, 3)
avg, ema = copy.deepcopy(net), Ema(0.5)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
before = avg.weight.clone()
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
    ema.update(avg, net)
print(torch.equal(before, avg.weight), round(net.weight.norm().item(), 4))
