"""Q08 hit 1. Question-and-answer page: taourl.com/read-2512883 (RGB images in reinforcement learning).
What it does: a replay buffer as a list of picture arrays that deletes the oldest entry and calls the garbage collector.
ends: ok
"""
import gc

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(1)


class Replay:
    def __init__(self, capacity):
        self.capacity, self.items = capacity, []

    def add(self, item):
        if len(self.items) >= self.capacity:
            del self.items[0]
            gc.collect()
        self.items.append(item)


def to_features(pictures):
    t = torch.tensor(np.stack(pictures))
    out = t.float() / 255.0
    del t
    return out


memory = Replay(5)
q = nn.Sequential(nn.Flatten(), nn.Linear(3 * 4 * 4, 3))
opt = torch.optim.RMSprop(q.parameters(), lr=1e-3)
for step in range(9):
    shot = rng.integers(0, 256, (3, 4, 4), dtype=np.uint8)
    after = rng.integers(0, 256, (3, 4, 4), dtype=np.uint8)
    memory.add((shot, int(rng.integers(3)), float(rng.random()), after))
    s, a, r, n = zip(*memory.items)
    with torch.no_grad():
        goal = torch.tensor(r) + 0.9 * q(to_features(n)).max(1).values
    now = q(to_features(s)).gather(1, torch.tensor(a)[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(now, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(len(memory.items), round(loss.item(), 4))
