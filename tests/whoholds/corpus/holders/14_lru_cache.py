"""A tensor held by an lru_cache."""
import functools

import torch

torch.manual_seed(0)
@functools.lru_cache(maxsize=None)
def table(n):
    return torch.ones(n, n)


table(7)
TARGET = lambda: table(7)
EXPECT = ['table(7)', ['table', 'cache']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
