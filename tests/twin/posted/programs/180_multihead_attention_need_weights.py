"""R40 hit 4. Issue: pytorch/pytorch #160064 (a head wholly masked, with and without weights).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(1, 5, 3)
mask = torch.tensor([False, False, True]).view(-1, 1, 1).expand(-1, 5, 5)
att = nn.MultiheadAttention(3, 3, batch_first=True)
y1, _ = att(x, x, x, attn_mask=mask, average_attn_weights=False, need_weights=False)
y2, weights = att(x, x, x, attn_mask=mask, average_attn_weights=False, need_weights=True)
print("Without weights:")
print(y1.shape, y1.isnan().any())
print("With weights:")
print(y2.shape, y2.isnan().any())
print(weights.isnan().any(dim=-1).any(dim=-1))
