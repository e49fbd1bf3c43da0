"""Q13 hit 6. Question-and-answer page: errorhandle.ai (accumulating gradients for a larger batch size).
What it does: a DataLoader loop that steps after every fourth small batch.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(64, 5)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(3))
model = nn.Linear(5, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
num_accumulation_steps = 4
for epoch in range(3):
    optimizer.zero_grad()
    for i, (inp, lab) in enumerate(loader):
        loss = criterion(model(inp), lab) / num_accumulation_steps
        loss.backward()
        if (i + 1) % num_accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, round(loss.item(), 4))
