"""Q19 hit 2. Issue: facebookresearch/dinov2 #472.
What it does: a frozen backbone runs under inference_mode, its features go into a head that is trained.
ends: RuntimeError: Inference tensors cannot be saved for backward
Cause: the head has to save its input for the weight's gradient, and inference tensors may not be saved.
"""
import torch
from torch import nn

torch.manual_seed(0)


class Depth(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = nn.Linear(6, 8), nn.Linear(8, 1)

    def forward(self, x):
        with torch.inference_mode():
            f = torch.tanh(self.backbone(x))
        return self.head(f)


model = Depth()
loss = model(torch.randn(4, 6)).mean()
loss.backward()
print(round(loss.item(), 4))
