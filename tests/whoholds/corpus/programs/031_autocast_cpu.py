"""Q17 hit 5. Documentation: torch.amp, autocast on the CPU.
What it does: trains with bfloat16 autocast around forward and loss only.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(12, 8), torch.randint(0, 2, (12,))
for epoch in range(3):
    opt.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = F.cross_entropy(out, y)
    loss.backward()
    opt.step()
    print(out.dtype, round(loss.item(), 3))
