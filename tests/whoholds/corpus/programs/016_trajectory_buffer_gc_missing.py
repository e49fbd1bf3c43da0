"""Q08 hit 5. Blog page: blog.gitcode.com (a replay buffer tutorial that calls gc.collect without the import).

What it does: stores trajectories step by step, samples slices that stay within one episode, then calls gc.collect().
ends: NameError: name 'gc' is not defined
Cause: the module gc is never imported.
"""
import torch

torch.manual_seed(0)


class SliceBuffer:
    def __init__(self, size):
        self.obs = torch.zeros(size, 3)
        self.episode = torch.full((size,), -1)
        self.n = 0

    def extend(self, rows, episode):
        k = len(rows)
        self.obs[self.n:self.n + k] = rows
        self.episode[self.n:self.n + k] = episode
        self.n += k

    def sample(self, slices, length):
        picked = []
        while len(picked) < slices:
            start = torch.randint(0, self.n - length + 1, ()).item()
            if self.episode[start] == self.episode[start + length - 1]:
                picked.append(self.obs[start:start + length])
        return torch.stack(picked)


buf = SliceBuffer(40)
for ep in range(4):
    buf.extend(torch.randn(8, 3).cumsum(0), ep)
sample = buf.sample(3, 4)
print(tuple(sample.shape), round(sample.sum().item(), 4))
gc.collect()
