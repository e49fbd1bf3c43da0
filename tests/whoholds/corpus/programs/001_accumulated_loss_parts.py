"""Q01 hit 1. Forum thread: discuss.pytorch.org/t/43284 (memory increases with accumulated loss).
What it does: sums the loss of every sequence of a batch into one tensor in a loop, then goes backward once.
ends: ok
Grows: every part's graph stays alive through the running sum until the one backward at the end.
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
        kept.append(guess)
        total = total + F.mse_loss(guess, goal)
    total.backward()
    opt.step()
    print(epoch, round(total.item(), 4), len(kept))
