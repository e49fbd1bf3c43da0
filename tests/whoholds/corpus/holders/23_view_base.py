"""A tensor held by the base of a view."""
import torch

torch.manual_seed(0)
row = torch.randn(100, 10)[3]
TARGET = lambda: row._base
EXPECT = ['row._base', ['row', 'base']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
