"""A tensor held by a reference cycle nobody names."""
import gc
import weakref

import torch

torch.manual_seed(0)
class Node:
    pass


gc.disable()
n = Node()
n.me, n.t = n, torch.randn(8, 8)
ref = weakref.ref(n)
del n
TARGET = lambda: ref().t
EXPECT = [['Node', 'cycle'], ['Node', 'me', 't']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
