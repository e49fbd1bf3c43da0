"""A tensor held by another tensor's attribute."""
import torch

torch.manual_seed(0)
a = torch.zeros(2)
a.note = torch.randn(8, 8)
TARGET = lambda: a.note
EXPECT = ['a.note']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
