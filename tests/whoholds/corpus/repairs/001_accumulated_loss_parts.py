"""Repair of programs/001_accumulated_loss_parts.py.
Repair: each part goes backward at once, the total is a plain number and the kept guesses are detached.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
lstm = nn.LSTM(4, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.05)
lengths = [3, 7, 5, 9, 4, 6]

for epoch in range(3):
    seqs = [(torch.randn(1, n, 4), torch.randn(1, 1)) for n in lengths]
    kept = []
    total = 0
    opt.zero_grad()
    for seq, goal in seqs:
        out, _ = lstm(seq)
        guess = head(out[:, -1])
        kept.append(guess.detach())
        part = F.mse_loss(guess, goal)
        part.backward()
        total += part.item()
    opt.step()
    print(epoch, round(total, 4), len(kept))
