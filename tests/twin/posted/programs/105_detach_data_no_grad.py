"""R03 hit 1. Page: a question about detach() and no_grad; the pictures of torchviz became walks of the graph.
ends: ok
"""
import torch


def walk(fn, depth=0):
    if fn is not None:
        print("  " * depth + fn.name())
        for below, _ in fn.next_functions:
            walk(below, depth + 1)


x = torch.ones(2, requires_grad=True)
y = 2 * x
z = 3 + x
r = (y + z).sum()
walk(r.grad_fn)
y = 2 * x
z = 3 + x.detach()
r = (y + z).sum()
walk(r.grad_fn)
z = 3 + x.data
r = (y + z).sum()
walk(r.grad_fn)
print(x)
print(x.detach())
with torch.no_grad():
    y = x * 2
print(y.requires_grad)
