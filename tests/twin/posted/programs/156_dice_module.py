"""R28 hit 2. Code: Abdullah-tauqeer-0/Brightfield-Microscopy-SAM, loss.py.
ends: RuntimeError
Cause: the prediction was permuted, and view(-1) needs memory in order.
"""
import torch
import torch.nn as nn


class DiceLoss(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, pred, target):
        smooth = 1.0
        iflat = pred.view(-1)
        tflat = target.view(-1)
        intersection = (iflat * tflat).sum()
        return 1 - ((2.0 * intersection + smooth) / (iflat.sum() + tflat.sum() + smooth))


pred = torch.full((1, 2, 4, 4), 0.5, requires_grad=True)
target = torch.ones(1, 2, 4, 4)
loss = DiceLoss()(pred, target)
loss.backward()
print(loss, pred.grad.unique())
DiceLoss()(pred.permute(0, 2, 3, 1), target)
