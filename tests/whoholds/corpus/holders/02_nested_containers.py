"""A tensor held by a list in a dict in a tuple."""
import torch

torch.manual_seed(0)
box = ({"a": [1, torch.randn(8, 8)]}, 2)
TARGET = lambda: box[0]["a"][1]
EXPECT = ['box[0]["a"][1]', "box[0]['a'][1]"]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
