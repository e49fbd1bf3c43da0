"""A tensor held by a zip iterator over lists."""
import torch

torch.manual_seed(0)
it = zip([1, 2, 3], [torch.randn(8, 8) for _ in range(3)])
next(it)
TARGET = lambda: it.__reduce__()[1][1].__reduce__()[1][0][2]
EXPECT = [['it', 'zip']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
