"""R42 hit 1. Issue: pytorch/pytorch #61946 (the gradient where a value was written in).
ends: ok
"""
import numpy as np
import torch


def func(t, value):
    a = t * t
    a[0] = value
    return a.sum()


array = np.array([1, 2, 3, 4], dtype="float32")
value = np.array([5.0], dtype="float32")
tt = torch.tensor(array, requires_grad=True)
tvalue = torch.tensor(value, requires_grad=True)
l1 = func(tt, tvalue)
print(l1, l1.grad_fn.next_functions[0][0].name())
l1.backward()
print("torch:array", tt.grad)
print("torch:value", tvalue.grad)
