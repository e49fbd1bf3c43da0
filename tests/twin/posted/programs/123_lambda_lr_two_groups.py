"""R12 hit 2. Page: a notebook on torch.optim.lr_scheduler (LambdaLR with one function for each group).
ends: ok
"""
import torch
import torch.optim as optim
import torch.optim.lr_scheduler as lr_scheduler

a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.05)
lambda1 = lambda epoch: epoch // 30
lambda2 = lambda epoch: 0.95**epoch
scheduler = lr_scheduler.LambdaLR(optimizer, lr_lambda=[lambda1, lambda2])
for epoch in range(3):
    optimizer.zero_grad()
    (a.sum() * b.sum()).backward()
    optimizer.step()
    scheduler.step()
    print(epoch, [round(lr, 5) for lr in scheduler.get_last_lr()])
exponential = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
for epoch in range(2):
    optimizer.step()
    exponential.step()
    print([round(group["lr"], 6) for group in optimizer.param_groups])
print(a, b)
