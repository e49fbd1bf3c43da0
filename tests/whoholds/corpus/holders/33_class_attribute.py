"""A tensor held by a class attribute."""
import torch

torch.manual_seed(0)
class Config:
    table = torch.randn(8, 8)
TARGET = lambda: Config.table
EXPECT = ['Config.table']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
