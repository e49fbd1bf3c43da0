"""R14 hit 2. Page: sifaelndandala.com intuitive introduction with linear regression (Dataset, DataLoader, training and validation).
ends: ok
"""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(420)
true_alpha, true_beta = 1.5, 2.0
x = torch.randn(200, dtype=torch.float)
epsilon = 0.1 * torch.randn(200, dtype=torch.float)
y = true_alpha + true_beta * x + epsilon


class LinearData(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class SLR(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.zeros(1))
        self.beta = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.alpha + self.beta * x


data = LinearData(x, y)
train, valid = random_split(data, [160, 40], generator=torch.Generator().manual_seed(0))
train_loader = DataLoader(train, batch_size=32, shuffle=False)
valid_loader = DataLoader(valid, batch_size=40)
model, loss_fn = SLR(), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss_fn(model(xb), yb).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        losses = [loss_fn(model(xb), yb).item() for xb, yb in valid_loader]
print(len(train_loader), losses[0] < 0.1, abs(model.beta.item() - 2) < 0.1)
print(dict(model.named_parameters()).keys())
