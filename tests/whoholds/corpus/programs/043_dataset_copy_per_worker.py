"""Q16 hit 3. Issue: pytorch/pytorch #63301 (does the loader copy the dataset).
What it does: a dataset over one big tensor that counts its reads; worker copies do not raise the parent's count.
ends: ok
"""
import torch

torch.manual_seed(0)
from torch.utils.data import DataLoader, Dataset


class Counted(Dataset):
    def __init__(self):
        self.rows, self.reads = torch.arange(60.0).view(20, 3), 0

    def __len__(self):
        return 20

    def __getitem__(self, i):
        self.reads += 1
        return self.rows[i]


if __name__ == "__main__":
    ds = Counted()
    total = sum(b.sum().item() for b in DataLoader(ds, batch_size=5, num_workers=1))
    print(total, ds.reads)
    total = sum(b.sum().item() for b in DataLoader(ds, batch_size=5))
    print(total, ds.reads)
