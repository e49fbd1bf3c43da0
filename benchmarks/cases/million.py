"""The backward of a million operations: no recursion, and no more time for each than in a few."""

from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

N = 1_000_000


def numbers():
    return SimpleNamespace(x=np.ones(4, np.float32), factor=np.full(4, 1.0, np.float32))


def with_tensors(mg, data):
    """minigrad and PyTorch: the same lines. The forward is made beforehand."""
    x, factor = mg.tensor(data.x, requires_grad=True), mg.tensor(data.factor)
    y = x
    for _ in range(N):
        y = y * factor
    loss = y.sum()

    def step():
        loss.backward()
        return loss.detach(), x.grad

    return step


CASES = [
    Case(
        "million",
        "backward of a chain of a million mul on 4 numbers",
        numbers,
        {"minigrad": with_tensors, "torch": with_tensors},
        anew=True,
        long=True,
        ledger=False,
    )
]
