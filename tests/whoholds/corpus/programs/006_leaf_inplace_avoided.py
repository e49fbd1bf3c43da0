"""Q03 hit 2. Reference page: runebook.dev, InplaceFunction.backward (in-place and out-of-place operations).
What it does: tries to change a leaf in place, catches the error, does it out of place, then in place on a detached copy.
ends: ok
"""
import torch

torch.manual_seed(0)
x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x += 1
except RuntimeError as err:
    print(str(err)[:40])
y = x + 1
z = y.sum()
z.backward()
print(x.tolist(), x.grad.tolist())
free = x.detach().clone()
free.add_(5)
print(free.tolist(), x.tolist())
