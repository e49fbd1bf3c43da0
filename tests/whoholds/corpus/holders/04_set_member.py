"""A tensor held by a set."""
import torch

torch.manual_seed(0)
bag = {torch.randn(8, 8)}
TARGET = lambda: next(iter(bag))
EXPECT = ['bag', ['set', 'bag']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
