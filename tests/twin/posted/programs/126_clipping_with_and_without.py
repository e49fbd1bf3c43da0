"""R13 hit 2. Page: theneuralbase.pages.dev gradient clipping (two nets, an infinite and a small bound).
ends: ok
"""
import torch
import torch.nn as nn
import torch.optim as optim


def net():
    return nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 1))


torch.manual_seed(42)
model = net()
optimizer = optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.MSELoss()
X, y = torch.randn(32, 10), torch.randn(32, 1)
print("Training WITHOUT gradient clipping:")
for epoch in range(3):
    optimizer.zero_grad()
    loss = loss_fn(model(X), y)
    loss.backward()
    total_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
    print(f"  Epoch {epoch + 1}: loss = {loss.item():.4f}, gradient norm = {total_norm:.3f}")
    optimizer.step()
model2 = net()
model2.load_state_dict(model.state_dict())
optimizer2 = optim.SGD(model2.parameters(), lr=0.1)
print("Training WITH gradient clipping:")
for epoch in range(3):
    optimizer2.zero_grad()
    loss = loss_fn(model2(X), y)
    loss.backward()
    total_norm = torch.nn.utils.clip_grad_norm_(model2.parameters(), max_norm=0.5)
    print(f"  Epoch {epoch + 1}: loss = {loss.item():.4f}, gradient norm = {total_norm:.3f}")
    optimizer2.step()
