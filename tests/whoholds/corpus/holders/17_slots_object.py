"""A tensor held by an object with slots."""
import torch

torch.manual_seed(0)
class Slim:
    __slots__ = ("t",)


s = Slim()
s.t = torch.randn(8, 8)
TARGET = lambda: s.t
EXPECT = ['s.t']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
