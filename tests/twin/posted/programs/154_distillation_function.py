"""R27 hit 3. Code: fywang222/KD-For-RT-DETR, kd_losses.py (F.kl_div, scaled in place).
ends: ok
"""
import torch
import torch.nn.functional as F


def kl_div_loss(logits_student, logits_teacher, temperature):
    log_pred_student = F.log_softmax(logits_student / temperature, dim=1)
    pred_teacher = F.softmax(logits_teacher / temperature, dim=1)
    loss_kd = F.kl_div(log_pred_student, pred_teacher, reduction="batchmean")
    loss_kd *= temperature**2
    return loss_kd


s = torch.linspace(-1, 1, 12).view(3, 4).requires_grad_()
t = torch.linspace(2, 0, 12).view(3, 4) ** 2
loss = kl_div_loss(s, t, 4.0)
hard = F.cross_entropy(s, torch.tensor([0, 1, 2]))
(0.7 * loss + 0.3 * hard).backward()
print(round(loss.item(), 5), loss.grad_fn.name())
print(s.grad)
