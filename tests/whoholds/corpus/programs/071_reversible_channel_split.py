"""Q28 hit 2. Repository page: One-sixth/i-RevBackward (a model like i-RevNet with its own backward).
What it does: an additive coupling on split channels whose backward rebuilds its input, next to an ordinary layer.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Couple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, f, *params):
        a, b = x.chunk(2, 1)
        y = torch.cat([b, a + f(b)], 1)
        ctx.f = f
        ctx.save_for_backward(y.detach(), *params)
        return y

    @staticmethod
    def backward(ctx, up):
        y, *params = ctx.saved_tensors
        b, s = y.chunk(2, 1)
        ub, ua = up.chunk(2, 1)
        with torch.enable_grad():
            b = b.detach().requires_grad_()
            gs = torch.autograd.grad(ctx.f(b), [b, *params], ua)
        return torch.cat([ua, ub + gs[0]], 1), None, *gs[1:]


class RevBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(c // 2, c // 2, 3, padding=1), nn.ReLU())

    def forward(self, x):
        return Couple.apply(x, self.f, *self.f.parameters())


net = nn.Sequential(nn.Conv2d(1, 4, 1), RevBlock(4), RevBlock(4), nn.Flatten(), nn.Linear(64, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(3):
    loss = F.cross_entropy(net(torch.randn(4, 1, 4, 4)), torch.randint(0, 3, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
