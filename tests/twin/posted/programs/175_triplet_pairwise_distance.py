"""R38 hit 3. Code: Mersalies/face_project, loss.py.
ends: ok
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TripletLoss(nn.Module):
    def __init__(self, margin=0.5):
        super(TripletLoss, self).__init__()
        self.margin = margin

    def forward(self, anchor, positive, negative):
        distance_positive = F.pairwise_distance(anchor, positive, p=2)
        distance_negative = F.pairwise_distance(anchor, negative, p=2)
        losses = F.relu(distance_positive - distance_negative + self.margin)
        return losses.mean()


a = torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]], requires_grad=True)
p, n = a.detach() + 0.5, a.detach() * torch.tensor([1.0, -1.0]) + 0.1
loss = TripletLoss()(a, p, n)
loss.backward()
print(round(loss.item(), 4), loss.grad_fn.name())
print(a.grad)
