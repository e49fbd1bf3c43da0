"""A tensor held by a list; the weak dict does not hold."""
import weakref

import torch

torch.manual_seed(0)
keep = [torch.randn(8, 8)]
weak = weakref.WeakValueDictionary()
weak["t"] = keep[0]
TARGET = lambda: weak["t"]
EXPECT = ['keep[0]']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
