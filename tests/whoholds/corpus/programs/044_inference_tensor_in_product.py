"""Q19 hit 1. Pull request: pytorch/pytorch #161164 (a better error message for inference tensors).
What it does: a tensor made under inference_mode is multiplied with a weight that wants a gradient.
ends: RuntimeError: Inference tensors cannot be saved for backward
Cause: the product has to save the inference tensor for the weight's gradient.
"""
import torch

torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
with torch.inference_mode():
    stats = torch.randn(4) * 2
print(stats.is_inference())
loss = (w * stats).sum()
loss.backward()
