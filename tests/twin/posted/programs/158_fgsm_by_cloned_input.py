"""R29 hit 5. Code: adversarial attack utilities (the input is cloned, detached and asked for its gradient).
ends: ok
"""
import torch
from torch import Tensor


def _gradient_sign(model, x: Tensor, y: Tensor) -> Tensor:
    x = x.clone().detach().requires_grad_(True)
    logits = model(x)
    loss = torch.nn.functional.cross_entropy(logits, y)
    loss.backward()
    return x.grad.detach()


def fgsm(model, x, y, eps):
    grad = _gradient_sign(model, x, y)
    adv = x + eps * grad.sign()
    return torch.clamp(adv, 0.0, 1.0)


def pgd(model, x, y, eps, step, steps):
    adv = (x + torch.empty_like(x).uniform_(-eps, eps)).clamp(0.0, 1.0)
    for _ in range(steps):
        adv = adv + step * _gradient_sign(model, adv, y).sign()
        adv = torch.max(torch.min(adv, x + eps), x - eps).clamp(0.0, 1.0)
    return adv


torch.manual_seed(1)
model = torch.nn.Linear(5, 3)
x, y = torch.rand(4, 5), torch.tensor([2, 1, 0, 1])
a, b = fgsm(model, x, y, 0.1), pgd(model, x, y, 0.1, 0.03, 4)
print(a.shape, b.requires_grad, ((a - x).abs() <= 0.1001).all(), ((b - x).abs() <= 0.1001).all())
print(model.weight.grad is not None)
