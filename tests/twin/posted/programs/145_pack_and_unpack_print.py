"""R23 hit 2. Documentation: torch.autograd.graph of PyTorch 1.13 (hooks that print what is packed).
ends: ok
"""
import torch


def pack_hook(x):
    print("Packing", x)
    return x


def unpack_hook(x):
    print("Unpacking", x)
    return x


a = torch.ones(5, requires_grad=True)
b = torch.ones(5, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
    y = a * b
y.sum().backward()
a = torch.randn(3, requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = (a * a).exp()
y.sum().backward()
print(a.grad.shape)
with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
            pass
    except RuntimeError as e:
        print(e)
