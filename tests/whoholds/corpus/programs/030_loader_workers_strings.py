"""Q16 hit 1. Issue: pytorch/pytorch #5902 (DataLoader uses more memory with workers).
What it does: a dataset over a list of many Python strings, read by two workers.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
from torch.utils.data import DataLoader, Dataset


class Names(Dataset):
    def __init__(self, n):
        self.names = [f"row-{i:05d}" for i in range(n)]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor([ord(c) for c in self.names[i]], dtype=torch.float32)


if __name__ == "__main__":
    loader = DataLoader(Names(40), batch_size=8, num_workers=2)
    net = nn.Linear(9, 1)
    opt = torch.optim.SGD(net.parameters(), lr=1e-6)
    for batch in loader:
        loss = net(batch).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(round(loss.item(), 2))
