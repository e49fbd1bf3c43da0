"""A tensor held by a kept exception."""
import torch

torch.manual_seed(0)
def boom():
    big = torch.randn(8, 8)
    raise ValueError(big.shape)


kept = []
try:
    boom()
except ValueError as e:
    kept.append(e)
TARGET = lambda: kept[0].__traceback__.tb_next.tb_frame.f_locals["big"]
EXPECT = [['kept', 'traceback', 'big'], ['kept[0]', 'boom', 'big']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
