"""Q26 hit 2. Code: jhammarstedt/SLN-on-Sound, helpers.py.
What it does: an average of weights over the two state dicts' values, started by copying the average into the model.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class WeightEma:
    def __init__(self, model, avg, alpha=0.9):
        self.alpha = alpha
        self.live, self.avg = list(model.state_dict().values()), list(avg.state_dict().values())
        for p, q in zip(self.live, self.avg):
            p.data.copy_(q.data)

    def step(self):
        for p, q in zip(self.live, self.avg):
            if p.is_floating_point():
                q.mul_(self.alpha)
                q.add_(p * (1 - self.alpha))


model, avg = nn.Linear(4, 1), nn.Linear(4, 1)
ema = WeightEma(model, avg)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = (model(torch.randn(8, 4)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.step()
print(round(loss.item(), 4), round((model.weight - avg.weight).norm().item(), 4))
