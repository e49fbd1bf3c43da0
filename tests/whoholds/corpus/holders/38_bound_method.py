"""A tensor held by a bound method."""
import torch

torch.manual_seed(0)
act = torch.randn(8, 8).add_
TARGET = lambda: act.__self__
EXPECT = ['act.__self__', ['act']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
