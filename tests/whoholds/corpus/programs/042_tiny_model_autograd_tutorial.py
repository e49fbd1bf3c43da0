"""Q18 hit 2. Tutorial: the fundamentals of autograd (a tiny model, gradients, a sine curve).
What it does: the gradient of a sine chain, then a tiny model whose weights change by one SGD step.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class TinyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1, self.relu, self.layer2 = nn.Linear(50, 20), nn.ReLU(), nn.Linear(20, 4)

    def forward(self, x):
        return self.layer2(self.relu(self.layer1(x)))


a = torch.linspace(0.0, 6.28, 9, requires_grad=True)
out = (2 * torch.sin(a) + 1).sum()
out.backward()
print([round(v, 3) for v in a.grad.tolist()[:3]])
some, ideal = torch.randn(8, 50), torch.randn(8, 4)
model = TinyModel()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    loss = (ideal - model(some)).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 4))
