"""Q07 hit 1. Code: leopard-ai/betty, betty/hypergradient/maml.py.
What it does: a helper around autograd.grad that keeps the graph unless first order is wanted; used on a learned step size.
ends: ok
"""
import torch

torch.manual_seed(0)


def through_loss(loss, params, first_order=False, retain=True):
    return torch.autograd.grad(loss, params, create_graph=not first_order, retain_graph=retain)


w0 = torch.randn(5, requires_grad=True)
log_lr = torch.tensor(-2.0, requires_grad=True)
outer = torch.optim.Adam([w0, log_lr], lr=0.05)
for it in range(5):
    xs, xq = torch.randn(8, 5), torch.randn(8, 5)
    truth = torch.arange(5.0)
    w = w0
    for k in range(3):
        inner = ((xs @ w - xs @ truth) ** 2).mean()
        (g,) = through_loss(inner, (w,), first_order=(it % 2 == 1))
        w = w - log_lr.exp() * g
    meta = ((xq @ w - xq @ truth) ** 2).mean()
    outer.zero_grad()
    meta.backward()
    outer.step()
    print(it, round(meta.item(), 4), round(log_lr.item(), 4))
