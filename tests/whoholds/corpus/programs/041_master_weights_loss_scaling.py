"""Q17 hit 1. Article: howistudyai.com (mixed precision training).
What it does: bfloat16 working weights beside float32 master weights, a scaled loss, a step skipped on overflow.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1)).bfloat16()
master = [p.detach().float().clone() for p in net.parameters()]
scale = 128.0
x, y = torch.randn(16, 6).bfloat16(), torch.randn(16, 1)
for step in range(4):
    loss = F.mse_loss(net(x).float(), y)
    net.zero_grad()
    (loss * scale).backward()
    grads = [p.grad.float() / scale for p in net.parameters()]
    if all(torch.isfinite(g).all() for g in grads):
        with torch.no_grad():
            for m, g, p in zip(master, grads, net.parameters()):
                m -= 0.05 * g
                p.copy_(m)
    else:
        scale /= 2
    print(step, scale, round(loss.item(), 3))
