"""Q10 hit 5. Course page: theneuralbase.com (memory leak detection).
What it does: a loop whose history holds plain numbers, and a collection after the validation pass.
ends: ok
"""
import gc

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history, val = [], []
x, y = torch.randn(32, 6), torch.randn(32, 1)
for epoch in range(3):
    model.train()
    for i in range(5):
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(x)
        val.append(out.mean().item())
    del out
    gc.collect()
print(len(history), round(history[0], 4), round(history[-1], 4), [round(v, 4) for v in val])
