import gc
import warnings
import weakref

import torch

warnings.simplefilter("ignore")  # PyTorch's warning of just this
w = torch.full((32, 32), 0.01, requires_grad=True)
points: list = []  # weak references to the bytes of each step's p: they keep nothing alive


def step(cut):
    p = torch.ones(64, 32, requires_grad=True)
    (p @ w).tanh().sum().backward(create_graph=True)
    p.grad.pow(2).sum().backward()
    points.append(weakref.ref(p.untyped_storage()))
    w.grad = None
    if cut:
        p.grad = None


def alive():
    return sum(one() is not None for one in points)


for cut in (False, True):
    points.clear()
    for _ in range(5):
        step(cut)
    before = alive()
    gc.collect()
    print(f"p.grad = None: {cut!s:5}  alive after 5 steps: {before}, after gc.collect(): {alive()}")
