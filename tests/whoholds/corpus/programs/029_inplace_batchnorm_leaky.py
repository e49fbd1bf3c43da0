"""Q15 hit 1. Issue: pytorch/pytorch #26288 (in-place and out arguments for BatchNorm).
What it does: a Function that keeps only the output of BatchNorm and LeakyReLU and inverts it in backward.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class BnLeaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, slope):
        m, v = x.mean(0), x.var(0, unbiased=False)
        inv = (v + 1e-5).rsqrt()
        y = x.sub(m).mul_(inv).mul_(w).add_(b)
        F.leaky_relu_(y, slope)
        ctx.slope = slope
        ctx.save_for_backward(y, w, b, inv)
        return y

    @staticmethod
    def backward(ctx, up):
        y, w, b, inv = ctx.saved_tensors
        g = torch.where(y >= 0, up, up * ctx.slope)
        xh = (torch.where(y >= 0, y, y / ctx.slope) - b) / w
        gw, gb = (g * xh).sum(0), g.sum(0)
        n = y.shape[0]
        return w * inv * (g - gb / n - xh * gw / n), gw, gb, None


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.w, self.b = nn.Parameter(torch.ones(n)), nn.Parameter(torch.zeros(n))

    def forward(self, x):
        return BnLeaky.apply(self.fc(x), self.w, self.b, 0.1)


net = nn.Sequential(Block(4), Block(4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 4)
for step in range(3):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
