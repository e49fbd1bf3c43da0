"""Q07 hit 3. Code: eduardocerqueira/seeker, snippet meta_learning_maml.py (a sketch).
What it does: clones the weights per task, adapts by a functional SGD, sums the meta loss over tasks.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
from torch.func import functional_call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(1, 12), nn.Linear(12, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def sgd(params, grads, lr=0.1):
    return {k: p - lr * g for (k, p), g in zip(params.items(), grads)}


model = Net()
meta_opt = torch.optim.SGD(model.parameters(), lr=0.05)
for it in range(3):
    meta_loss = 0
    for task in range(4):
        phase, amp = torch.rand(1) * 3, torch.rand(1) + 0.5
        shots, query = torch.rand(6, 1) * 4 - 2, torch.rand(6, 1) * 4 - 2
        fast = {k: p.clone() for k, p in model.named_parameters()}
        for _ in range(2):
            adapt = F.mse_loss(functional_call(model, fast, shots), amp * torch.sin(shots + phase))
            grads = torch.autograd.grad(adapt, list(fast.values()), create_graph=True)
            fast = sgd(fast, grads)
        meta_loss = meta_loss + F.mse_loss(functional_call(model, fast, query), amp * torch.sin(query + phase))
    meta_opt.zero_grad()
    meta_loss.backward()
    meta_opt.step()
    print(it, round(meta_loss.item(), 4))
