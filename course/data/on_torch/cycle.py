import gc
import warnings
import weakref

import torch

warnings.simplefilter("ignore")  # PyTorch's warning of just this


def alive(cut):
    """Whether the bytes of a weight outlive its name, after a backward with create_graph."""
    weight = torch.ones(1000, requires_grad=True)
    weight.pow(3).sum().backward(create_graph=True)
    stored = weakref.ref(weight.untyped_storage())
    if cut:
        weight.grad = None
    del weight
    by_count = stored() is not None
    gc.collect()
    return f"alive without a name: {by_count}, after gc.collect(): {stored() is not None}"


print(".grad left as it is", alive(cut=False))
print(".grad set to None  ", alive(cut=True))
