"""Q37 hit 4. Forum text: compute the Hessian-vector product for several vectors in grad_outputs.
What it does: Hessian-vector products in a loop with the graph retained, and all at once with batched gradients.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, requires_grad=True)
g = torch.autograd.grad(net(x).squeeze(), x, create_graph=True)[0]
vs = torch.randn(5, 3)
one_by_one = torch.stack([torch.autograd.grad(g, x, grad_outputs=v, retain_graph=True)[0] for v in vs])
at_once = torch.autograd.grad(g, x, grad_outputs=vs, is_grads_batched=True)[0]
print(torch.allclose(one_by_one, at_once, atol=1e-6), round(at_once.norm().item(), 4))
