"""R01 hit 1. Page: deependujha.github.io transfer learning (freeze, replace the last layer, cut a Sequential).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.relu = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flat = nn.Flatten()
        self.fc = nn.Linear(4, 10)

    def forward(self, x):
        return self.fc(self.flat(self.pool(self.relu(self.conv1(x)))))


model = Backbone()
for param in model.parameters():
    param.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 3)
for name, module in model.named_children():
    print(name, module)
print([name for name, p in model.named_parameters() if p.requires_grad])
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
x, y = torch.randn(5, 3, 8, 8), torch.tensor([0, 1, 2, 1, 0])
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
optimizer.step()
print(model.conv1.weight.grad, model.fc.weight.grad.shape, round(loss.item(), 4))
model.fc = nn.Identity()
print(model(x).shape, model(x).requires_grad)
features = nn.Sequential(*list(model.children())[:-1])
print(features(x).shape, len(features))
for param in model.parameters():
    param.requires_grad = True
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
model.eval()
with torch.no_grad():
    print(model(x).requires_grad)
