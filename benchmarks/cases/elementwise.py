"""40 products and sums on a million numbers: nothing but bytes going through the processor."""

from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

N, SIZE = 40, 1_000_000


def numbers():
    x = np.linspace(0.5, 1.5, SIZE, dtype=np.float32)
    return SimpleNamespace(x=x, factor=np.full_like(x, 1.001), term=np.full_like(x, 0.001))


def with_tensors(mg, data):
    """minigrad and PyTorch: the same lines."""
    x = mg.tensor(data.x, requires_grad=True)
    factor, term = mg.tensor(data.factor), mg.tensor(data.term)

    def step():
        x.grad = None
        y = x
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        loss = y.mean()
        loss.backward()
        return loss, x.grad

    return step


def with_mygrad(mygrad, data):
    mygrad.turn_memory_guarding_off()
    x = mygrad.tensor(data.x)
    factor, term = (
        mygrad.tensor(data.factor, constant=True),
        mygrad.tensor(data.term, constant=True),
    )

    def step():
        y = x
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        loss = y.mean()
        loss.backward()
        return loss, x.grad

    return step


CASES = [
    Case(
        "elementwise",
        "40 mul/add on a million numbers, forward and backward",
        numbers,
        {
            "minigrad": with_tensors,
            "torch": with_tensors,
            "mygrad": with_mygrad,
        },
    )
]
