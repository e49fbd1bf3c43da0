"""R04 hit 4. Pull request: NVlabs/VILA #199 (text_embeds += ... on a leaf).
ends: RuntimeError
"""
import torch

text_embeds = torch.nn.Parameter(torch.zeros(2, 4))
image = torch.ones(2, 4)
fixed = text_embeds + (image.mean() * 0.0)
print(fixed.is_leaf, fixed.grad_fn)
text_embeds += image.mean() * 0.0
