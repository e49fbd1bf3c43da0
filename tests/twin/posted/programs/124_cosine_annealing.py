"""R12 hit 4. Page: PyTorch's documentation of CosineAnnealingLR.
ends: ok
"""
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR

w = torch.nn.Parameter(torch.tensor([4.0]))
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = CosineAnnealingLR(optimizer, T_max=5, eta_min=0.001)
for epoch in range(8):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
    scheduler.step()
    print(epoch, round(scheduler.get_last_lr()[0], 6))
state = scheduler.state_dict()
print(state["T_max"], state["eta_min"], state["last_epoch"], state["base_lrs"])
again = CosineAnnealingLR(torch.optim.SGD([w], lr=0.1), T_max=5, eta_min=0.001)
again.load_state_dict(state)
print(again.last_epoch, round(w.item(), 4))
