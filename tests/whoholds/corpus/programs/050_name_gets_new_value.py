"""Q24 hit 2. Question-and-answer page: errorhandle.ai (is memory freed when a tensor gets a new value).
What it does: binds a name to a second tensor, then deletes it; weak references show what is gone.
ends: ok
"""
import weakref

import torch

torch.manual_seed(0)
t = torch.rand(3, 3)
first = weakref.ref(t)
t = torch.rand(5, 5)
second = weakref.ref(t)
print(first() is None, round(t.sum().item(), 4))
del t
print(second() is None)
