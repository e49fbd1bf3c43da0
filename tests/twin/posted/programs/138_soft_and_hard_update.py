"""R19 hit 2. Code: patrikasvanagas/Comm-MARL-GNN-Homogeneity, utils.py.
ends: ok
"""
import torch


def soft_update(target, source, tau):
    for target_param, param in zip(target.parameters(), source.parameters()):
        target_param.data.copy_(target_param.data * (1.0 - tau) + param.data * tau)


def hard_update(target, source):
    for target_param, param in zip(target.parameters(), source.parameters()):
        target_param.data.copy_(param.data)


source, target = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
for p in source.parameters():
    p.data.fill_(1.0)
for p in target.parameters():
    p.data.zero_()
versions = [p._version for p in target.parameters()]
for _ in range(3):
    soft_update(target, source, 0.5)
print([p.data for p in target.parameters()])
hard_update(target, source)
print(target.weight, target.bias)
print([p._version == v for p, v in zip(target.parameters(), versions)])
