"""R23 hit 3. Page: PyTorch's tutorial Hooks for autograd saved tensors (what is saved; only the large are packed; no files).
ends: ok
"""
import torch
import torch.nn as nn

x = torch.full((5,), 2.0, requires_grad=True)
y = x.pow(2)
print(x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self)
y = x.exp()
print(y.equal(y.grad_fn._saved_result), y is y.grad_fn._saved_result)
f = lambda x: x * x
y = f(x)
print(y.grad_fn._saved_self is x, y.grad_fn._saved_other is x)
store = {}


class Name:
    def __init__(self):
        self.key = len(store)

    def __del__(self):
        store.pop(self.key)


def pack(tensor):
    if tensor.numel() < 20:
        return tensor
    name = Name()
    store[name.key] = tensor.clone()
    return name


def unpack(packed):
    return packed if isinstance(packed, torch.Tensor) else store[packed.key]


torch.manual_seed(0)


class Big(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 2))

    def forward(self, x):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return self.net(x)


net = Big()
loss = net(torch.randn(7, 4)).sum()
print(sorted(tuple(t.shape) for t in store.values()))
loss.backward()
print(store, net.net[0].weight.grad.shape)
