"""R07 hit 1. Code: mhl34/cgm_predict, GradientReversalLayer.py; the loop of domain adversarial training around it.
ends: ok
"""
import torch
import torch.nn as nn
from torch.autograd import Function


class GradientReversalLayer(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.alpha * grad_output.neg(), None


torch.manual_seed(0)
feature = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
label, domain = nn.Linear(8, 3), nn.Linear(8, 2)
nets = nn.ModuleList([feature, label, domain])
opt = torch.optim.SGD(nets.parameters(), lr=0.1, momentum=0.9)
ce = nn.CrossEntropyLoss()
source, target = torch.randn(10, 6), torch.randn(10, 6) + 1
y = torch.arange(10) % 3
for epoch in range(3):
    alpha = 0.5 * epoch
    fs, ft = feature(source), feature(target)
    both = torch.cat([fs, ft])
    which = torch.cat([torch.zeros(10), torch.ones(10)]).long()
    d = domain(GradientReversalLayer.apply(both, alpha))
    loss = ce(label(fs), y) + ce(d, which)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, d.shape, round(loss.item(), 4))
