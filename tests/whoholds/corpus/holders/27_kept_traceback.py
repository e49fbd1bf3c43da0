"""A tensor held by a kept traceback."""
import torch

torch.manual_seed(0)
def boom():
    big = torch.randn(8, 8)
    raise ValueError("no")


try:
    boom()
except ValueError as e:
    tb = e.__traceback__
TARGET = lambda: tb.tb_next.tb_frame.f_locals["big"]
EXPECT = [['tb', 'big']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
