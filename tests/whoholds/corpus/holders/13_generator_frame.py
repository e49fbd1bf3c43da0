"""A tensor held by the frame of a paused generator."""
import torch

torch.manual_seed(0)
def gen():
    held = torch.randn(8, 8)
    yield 1
    print(held.sum())


g = gen()
next(g)
TARGET = lambda: g.gi_frame.f_locals["held"]
EXPECT = ['g.gi_frame.f_locals["held"]', ['g', 'generator', 'held']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
