"""Q13 hit 2. Notes page: kaggle.curtischong.me (gradient accumulation).
What it does: one backward per sample of a batch through a gradient scaler, then one step.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
for step in range(3):
    batch, goal = torch.randn(6, 4), torch.randn(6, 1)
    optimizer.zero_grad()
    shown = 0.0
    for r in range(6):
        loss = F.mse_loss(net(batch[r]), goal[r]) / 6
        scaler.scale(loss).backward()
        shown += loss.item()
    scaler.step(optimizer)
    scaler.update()
    print(step, round(shown, 4), scaler.get_scale())
