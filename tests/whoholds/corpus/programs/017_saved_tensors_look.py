"""Q09 hit 2. Tutorial text: Hooks for autograd saved tensors.
What it does: looks at what a product saved, nests a square three times, counts packs with saved-tensor hooks.
ends: ok
"""
import torch

torch.manual_seed(0)
a = torch.randn(5, requires_grad=True)
b = torch.ones(5, requires_grad=True)
y = a * b
print(torch.equal(y.grad_fn._saved_self, a), torch.equal(y.grad_fn._saved_other, b))


def square(v):
    return v * v


x = torch.randn(5, requires_grad=True)
deep = square(square(square(x)))
e = torch.exp(a)
print(e.grad_fn._saved_result.equal(e), e.grad_fn._saved_result is e)
packs = []


def pack(t):
    packs.append(tuple(t.shape))
    return t.numpy(force=True)


with torch.autograd.graph.saved_tensors_hooks(pack, torch.from_numpy):
    out = square(square(x)).sum()
out.backward()
deep.sum().backward()
print(len(packs), round(x.grad.abs().sum().item(), 4))
