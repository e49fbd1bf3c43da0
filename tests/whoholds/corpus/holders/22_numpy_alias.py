"""A tensor held by a numpy array that shares the bytes."""
import torch

torch.manual_seed(0)
arr = torch.arange(6.0).numpy()
TARGET = lambda: torch.from_numpy(arr)
EXPECT = ['arr']

if __name__ == "__main__":
    print(tuple(TARGET().shape))
