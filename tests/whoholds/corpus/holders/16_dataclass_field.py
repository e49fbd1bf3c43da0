"""A tensor held by a dataclass."""
import dataclasses

import torch

torch.manual_seed(0)
@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    n: int = 0


b = Batch(torch.randn(8, 8))
TARGET = lambda: b.x
EXPECT = ['b.x']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
