"""A tensor held by a forward hook that stores."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 3)


def watch(m):
    store = []
    m.register_forward_hook(lambda mod, i, o: store.append(o))


watch(net)
net(torch.randn(2, 3))
TARGET = lambda: next(iter(net._forward_hooks.values())).__closure__[0].cell_contents[0]
EXPECT = [['net', 'hook', 'store']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
