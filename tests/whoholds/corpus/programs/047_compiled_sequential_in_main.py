"""Q21 hit 3. Issue: pytorch/pytorch #119607 (compiled models are not freed).
What it does: a compiled Sequential made and run in a function; afterwards a weak reference tells if it is gone.
ends: ok
"""
import gc
import weakref

import torch
from torch import nn

torch.manual_seed(0)


def main():
    x = torch.randn(10, 30, requires_grad=True)
    model = nn.Sequential(nn.Linear(30, 40), nn.ReLU(), nn.Linear(40, 20))
    fast = torch.compile(model, backend="eager")
    print(round(fast(x).sum().item(), 4))
    return weakref.ref(model)


ref = main()
gc.collect()
print(type(ref).__name__)
