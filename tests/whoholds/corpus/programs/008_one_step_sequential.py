"""Q04 hit 8. Blog page: adhdecode (GPU memory optimization techniques).
What it does: one training step of a Sequential with three layers, at top level, without zero_grad.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
batch = torch.randn(16, 64)
labels = torch.randint(0, 10, (16,))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scores = net(batch)
loss = criterion(scores, labels)
loss.backward()
optimizer.step()
print(round(loss.item(), 4), round(net[0].weight.grad.abs().sum().item(), 4))
