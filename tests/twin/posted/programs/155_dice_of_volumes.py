"""R28 hit 1. Code: DavidScobie/Machine_Learning, pt_utils.py (dice over three axes).
ends: ok
"""
import torch


def loss_dice(y_pred, y_true, eps=1e-6):
    numerator = torch.sum(y_true * y_pred, dim=(2, 3, 4)) * 2
    denominator = torch.sum(y_true, dim=(2, 3, 4)) + torch.sum(y_pred, dim=(2, 3, 4)) + eps
    return torch.mean(1.0 - (numerator / denominator))


logits = torch.linspace(-2, 2, 2 * 1 * 3 * 3 * 3).view(2, 1, 3, 3, 3).requires_grad_()
y_true = (torch.arange(54).view(2, 1, 3, 3, 3) % 2 == 0).float()
loss = loss_dice(torch.sigmoid(logits), y_true)
loss.backward()
print(round(loss.item(), 4), loss.grad_fn.name(), logits.grad.shape)
print(logits.grad[0, 0, 0])
