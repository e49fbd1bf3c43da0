"""Q03 hit 1. Blog page: twelvescompany.co.uk (deep dive into the in-place error).
What it does: one linear layer, weights moved by hand inside no_grad, a second forward and backward after that.
ends: ok
Note: the page says that this fails; on plain torch it does not. Gradients add up since nobody clears them.
"""
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(10, 1)
sample = torch.randn(1, 10, requires_grad=True)
err = ((layer(sample) - 1) ** 2).mean()
err.backward()
print(round(err.item(), 4))
with torch.no_grad():
    layer.weight -= 0.1 * layer.weight.grad
err = ((layer(sample) - 1) ** 2).mean()
err.backward()
print(round(err.item(), 4), round(layer.weight.grad.norm().item(), 4))
