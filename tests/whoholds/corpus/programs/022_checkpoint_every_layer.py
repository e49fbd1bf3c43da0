"""Q11 hit 2. Pull request: facebookresearch/fairseq2 #474 (checkpoint's debug parameter removed since it leaks).
What it does: a layer wrapper that runs every layer under checkpoint; debug is asked for in the first step only.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
from torch.utils.checkpoint import checkpoint


class Checkpointed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.debug = inner, False

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False, debug=self.debug)


layers = nn.Sequential(*[Checkpointed(nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.1), nn.GELU())) for _ in range(2)])
opt = torch.optim.AdamW(layers.parameters(), lr=1e-2)
x = torch.randn(8, 6)
for step in range(3):
    layers[0].debug = step == 0
    loss = (layers(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
