"""R03 hit 5. Page: e-com-net.com on detach and data after sigmoid.
ends: RuntimeError
Cause: the sigmoid's result is zeroed through detach(), and its backward needs it.
"""
import torch

a = torch.tensor([1, 2, 3.0], requires_grad=True)
out = a.sigmoid()
c = out.data
c.zero_()
print(out)
out.sum().backward()
print(a.grad)
a = torch.tensor([1, 2, 3.0], requires_grad=True)
out = a.sigmoid()
c = out.detach()
print(c.zero_())
print(out)
out.sum().backward()
