"""R05 hit 2. Issue: f-dangel/singd #56 (full backward hooks and an in-place activation).
ends: RuntimeError
"""
import torch
from torch import rand
from torch.nn import Conv2d, ReLU, Sequential

torch.manual_seed(0)
seen = []


def hook(module, grad_input, grad_output):
    seen.append((type(module).__name__, [g if g is None else g.shape for g in grad_input]))


model = Sequential(Conv2d(1, 1, 3), ReLU(inplace=False))
for m in model:
    m.register_full_backward_hook(hook)
output = model(rand(2, 1, 5, 5))
output.sum().backward()
print(seen)
model = Sequential(Conv2d(1, 1, 3), ReLU(inplace=True))
for m in model:
    m.register_full_backward_hook(hook)
output = model(rand(2, 1, 5, 5))
