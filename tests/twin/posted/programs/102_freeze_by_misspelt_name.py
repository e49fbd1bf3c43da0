"""R01 hit 7. Page: notes.atzy.dev transfer learning; sets `requiresGrad`, which nobody reads.
ends: ok
Cause: every parameter still trains.
"""
import torch
from torch import nn

torch.manual_seed(0)
resnet = nn.Sequential()
resnet.conv1 = nn.Conv2d(1, 4, 3)
resnet.bn1 = nn.BatchNorm2d(4)
resnet.pool = nn.MaxPool2d(2)
resnet.flat = nn.Flatten()
resnet.fc = nn.Linear(4 * 3 * 3, 10)
for param in resnet.parameters():
    param.requiresGrad = False
resnet.conv1.requiresGrad = True
resnet.fc.requiresGrad = True
print(resnet)
trained = [name for name, p in resnet.named_parameters() if p.requires_grad]
print(trained)
out = resnet(torch.randn(6, 1, 8, 8))
nn.CrossEntropyLoss()(out, torch.arange(6)).backward()
print([p.grad is not None for p in resnet.parameters()])
