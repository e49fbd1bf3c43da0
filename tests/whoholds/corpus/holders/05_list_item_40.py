"""A tensor held by item 40 of a list."""
import torch

torch.manual_seed(0)
rows = [torch.randn(8, 8) for _ in range(50)]
TARGET = lambda: rows[40]
EXPECT = ['rows[40]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
