"""Repair of programs/044_inference_tensor_in_product.py.
Repair: the inference tensor is cloned outside inference mode before it meets the weight.
ends: ok
"""
import torch

torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
with torch.inference_mode():
    stats = torch.randn(4) * 2
print(stats.is_inference())
loss = (w * stats.clone()).sum()
loss.backward()
