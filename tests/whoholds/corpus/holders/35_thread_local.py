"""A tensor held by a thread local."""
import threading

import torch

torch.manual_seed(0)
local = threading.local()
local.t = torch.randn(8, 8)
TARGET = lambda: local.t
EXPECT = ['local.t']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
