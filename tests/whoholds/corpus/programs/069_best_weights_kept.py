"""Q38 hit 1. Issue: DOI-USGS/lake-temperature-lstm-static #35 (save the weights of the best epoch, stop early).
What it does: an LSTM regression that keeps a deep copy of the best state dict and stops when validation does not improve.
ends: ok
"""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Lake(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.LSTM(3, 6, batch_first=True), nn.Linear(6, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


net = Lake()
opt = torch.optim.Adam(net.parameters(), lr=0.05)
x, v = torch.randn(8, 5, 3), torch.randn(8, 5, 3)
best, state, bad = float("inf"), None, 0
for epoch in range(12):
    loss = F.mse_loss(net(x), x.sum(2, keepdim=True) + 0.5 * torch.randn(8, 5, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        val = F.mse_loss(net(v), v.sum(2, keepdim=True)).item()
    if val < best:
        best, state, bad = val, copy.deepcopy(net.state_dict()), 0
    else:
        bad += 1
    if bad == 2:
        break
net.load_state_dict(state)
print(epoch, round(best, 3))
