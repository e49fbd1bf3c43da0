"""A tensor held by a closure."""
import torch

torch.manual_seed(0)
def make():
    inner = torch.randn(8, 8)

    def ask():
        return inner.sum()
    return ask


ask = make()
TARGET = lambda: ask.__closure__[0].cell_contents
EXPECT = ['ask.__closure__[0].cell_contents', ['ask', 'closure', 'inner']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
