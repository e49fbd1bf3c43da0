"""R15 hit 7. Page: documentation of checkpoint (the state of random numbers is kept for dropout).
ends: ok
"""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

torch.manual_seed(0)
model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.5)) for _ in range(4)])
x = torch.randn(3, 8, requires_grad=True)
torch.manual_seed(1)
plain = model(x)
plain.sum().backward()
want = x.grad.clone()
x.grad = None
torch.manual_seed(1)
out = checkpoint_sequential(model, 2, x, use_reentrant=False, preserve_rng_state=True)
out.sum().backward()
print(torch.equal(plain, out), torch.allclose(want, x.grad))
print(out.shape, out.requires_grad)
