"""A tensor held by a global of another module."""
import types
import sys

import torch

torch.manual_seed(0)
mod = types.ModuleType("settings")
sys.modules["settings"] = mod
mod.PRIOR = torch.randn(8, 8)
del mod
TARGET = lambda: sys.modules["settings"].PRIOR
EXPECT = ['settings.PRIOR']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
