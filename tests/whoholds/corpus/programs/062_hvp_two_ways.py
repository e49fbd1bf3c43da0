"""Q37 hit 2. Blog: iclr-blogposts bench-hvp.
What it does: a Hessian-vector product by reverse over reverse and by forward over reverse.
ends: ok
"""
import torch

torch.manual_seed(0)
from torch.func import grad, jvp

A = torch.randn(5, 5)


def f(w):
    return torch.tanh(A @ w).pow(2).sum()


w, v = torch.randn(5, requires_grad=True), torch.randn(5)
g = torch.autograd.grad(f(w), w, create_graph=True)[0]
rr = torch.autograd.grad(g @ v, w)[0]
fr = jvp(grad(f), (w.detach(),), (v,))[1]
print(round(rr.norm().item(), 4), torch.allclose(rr, fr, atol=1e-5))
