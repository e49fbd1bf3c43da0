"""A tensor held by functools.partial."""
import functools

import torch

torch.manual_seed(0)
f = functools.partial(torch.add, torch.randn(8, 8))
TARGET = lambda: f.args[0]
EXPECT = ['f.args[0]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
