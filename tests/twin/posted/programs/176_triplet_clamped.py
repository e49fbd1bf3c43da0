"""R38 hit 4. Code: idubi/cats-compare-model, TripletLoss.py; its torchvision backbone became a small convolution.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn


class TripletLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, anchor, positive, negative):
        pos_dist = F.pairwise_distance(anchor, positive)
        neg_dist = F.pairwise_distance(anchor, negative)
        loss = torch.mean(torch.clamp(pos_dist - neg_dist + self.margin, min=0.0))
        return loss


torch.manual_seed(0)
embed = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(27, 4))
opt = torch.optim.Adam(embed.parameters(), lr=1e-3)
a, p, n = (torch.randn(5, 1, 8, 8) for _ in range(3))
for epoch in range(2):
    loss = TripletLoss()(embed(a), embed(p), embed(n))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.4f}")
