"""A tensor held by a deque."""
import collections

import torch

torch.manual_seed(0)
buf = collections.deque([torch.randn(8, 8) for _ in range(3)], maxlen=3)
TARGET = lambda: buf[1]
EXPECT = ['buf[1]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
