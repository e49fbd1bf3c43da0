"""Q11 hit 1. Issue: pytorch/pytorch #115255 (lambda saved_tensor_hook memory leak).
What it does: a net run under checkpoint, with identity saved-tensor hooks inside meant to switch it off for one part.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
from torch.utils.checkpoint import checkpoint


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(5, 10), nn.Linear(10, 60), nn.Linear(60, 4)

    def forward(self, x):
        x = F.relu(self.a(x))
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            x = F.relu(self.b(x))
        return self.c(x)


net = Stack()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(8, 5, requires_grad=True)
    out = checkpoint(net, x, use_reentrant=False)
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
