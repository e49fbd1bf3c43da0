"""A tensor held by the closure of a tensor hook."""
import torch
from torch import nn

torch.manual_seed(0)
def attach(p):
    mask = torch.randn(8, 8)
    p.register_hook(lambda g: g * mask)


p = nn.Parameter(torch.randn(8, 8))
attach(p)
TARGET = lambda: next(iter(p._backward_hooks.values())).__closure__[0].cell_contents
EXPECT = [['p', 'hook', 'mask']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
