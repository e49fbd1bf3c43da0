"""R29 hit 3. Code: lukinio/interval_net, attacks.py (the noise is the leaf).
ends: ok
"""
import torch


def fgsm(model, X, y, loss_fn, epsilon=0.1):
    noise = torch.zeros_like(X, requires_grad=True)
    loss = loss_fn(model(X + noise), y)
    loss.backward()
    return epsilon * noise.grad.detach().sign()


def pgd(model, X, y, loss_fn, epsilon=0.1, alpha=0.01, num_iter=5):
    delta = torch.zeros_like(X, requires_grad=True)
    for _ in range(num_iter):
        loss = loss_fn(model(X + delta), y)
        loss.backward()
        delta.data = (delta + alpha * delta.grad.detach().sign()).clamp(-epsilon, epsilon)
        delta.data = torch.min(torch.max(delta.detach(), -X), 1 - X)
        delta.grad.zero_()
    return delta.detach()


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
X, y = torch.rand(4, 6), torch.tensor([0, 1, 2, 0])
loss_fn = torch.nn.CrossEntropyLoss()
noise, delta = fgsm(model, X, y, loss_fn), pgd(model, X, y, loss_fn)
print(noise.abs().max(), noise.requires_grad)
print(delta.shape, (X + delta).min() >= 0, (X + delta).max() <= 1)
print(loss_fn(model(X + noise), y) > loss_fn(model(X), y))
