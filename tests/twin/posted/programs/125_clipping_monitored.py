"""R13 hit 1. Page: theneuralbase.com gradient clipping (the norm before clipping is logged).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
X, y = torch.randn(16, 4) * 10, torch.randn(16, 1)
optimizer, loss_fn = torch.optim.SGD(model.parameters(), lr=0.01), nn.MSELoss()
for epoch in range(3):
    optimizer.zero_grad()
    output = model(X)
    loss = loss_fn(output, y)
    loss.backward()
    total_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    clipping_activated = total_norm > 1.0
    print(f"Epoch {epoch + 1}: loss={loss.item():.4f}, norm={total_norm:.3f}, clipped={clipping_activated}")
    after = torch.norm(torch.stack([p.grad.norm() for p in model.parameters()]))
    print(f"{after:.3f}")
    optimizer.step()
torch.nn.utils.clip_grad_value_(model.parameters(), 0.01)
print(max(p.grad.abs().max().item() for p in model.parameters()) <= 0.0101)
