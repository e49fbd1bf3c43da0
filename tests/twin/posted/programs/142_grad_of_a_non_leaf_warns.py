"""R21 hit 2. Pull request: pytorch/pytorch #30531 (when reading .grad warns).
ends: ok
"""
import warnings

import torch

with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    dummy = torch.ones(1)
    foo = dummy.grad
    print(len(w))
    dummy.requires_grad_()
    foo = dummy.grad
    print(len(w))
    dummy = dummy.clone()
    foo = dummy.grad
    print(len(w))
    print(str(w[0].message).split(" (Triggered")[0])
    dummy.retain_grad()
    foo = dummy.grad
    print(len(w), foo)
