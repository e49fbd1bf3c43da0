"""R40 hit 1. Issue: pytorch/pytorch #41508 (nn.MultiheadAttention with two masks gives gradients that are no numbers).
ends: ok
"""
import torch

torch.manual_seed(0)
attn = torch.nn.MultiheadAttention(embed_dim=1, num_heads=1)
x = torch.rand(3, 2, 1)
key_padding_mask = torch.as_tensor([[False, False, False], [False, True, True]], dtype=torch.bool)
inf = float("-inf")
attn_mask = torch.as_tensor([[0.0, inf, inf], [0.0, 0.0, inf], [inf, 0.0, 0.0]])
key_mask = torch.zeros(2, 3).masked_fill(key_padding_mask, inf)
output, scores = attn(x, x, x, key_padding_mask=key_mask, attn_mask=attn_mask)
print(output.shape, scores.isnan().any())
loss = output[:2].sum()
loss.backward()
print(attn.in_proj_weight.grad)
