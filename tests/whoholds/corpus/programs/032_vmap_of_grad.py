"""Q18 hit 1. Documentation: torch.func whirlwind tour.
What it does: gradients of single examples by vmap of grad, and a second derivative by grad of grad.
ends: ok
"""
import torch

torch.manual_seed(0)
from torch.func import grad, vmap

x = torch.randn([])
print(torch.allclose(grad(grad(torch.sin))(x), -x.sin()))


def score(w, f):
    return f.dot(w).relu()


def cost(w, f, t):
    return ((score(w, f) - t) ** 2).mean()


w, feats, goals = torch.randn(5, requires_grad=True), torch.randn(3, 5), torch.randn(3)
each = vmap(grad(cost), in_dims=(None, 0, 0))(w, feats, goals)
print(tuple(each.shape), round(each.sum().item(), 4))
