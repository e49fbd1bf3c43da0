"""1000 products and sums on 4 numbers: nothing to compute, so what is timed is the engine."""

from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

N = 1000


def numbers(shape=(4,)):
    x = np.linspace(0.5, 1.5, 4, dtype=np.float32)
    return SimpleNamespace(
        x=x, factor=np.full(shape, 1.001, np.float32), term=np.full(shape, 0.001, np.float32)
    )


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
        loss = y.sum()
        loss.backward()
        return loss, x.grad

    return step


def replayed(mg, data):
    """minigrad's own: the numpy calls of the first step, repeated."""
    x = mg.tensor(data.x, requires_grad=True)
    factor, term = mg.tensor(data.factor), mg.tensor(data.term)

    @mg.replay.record
    def chain():
        y = x
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        loss = y.sum()
        loss.backward()
        return loss.detach()

    def step():
        x.grad = None
        loss = chain()
        return loss, x.grad

    return step


def by_hand(np, data):
    """The gradient of a product is the other factor; of a sum, nothing is to be done."""
    x, factor, term = data.x, data.factor, data.term

    def step():
        y = x
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        grad = np.ones_like(y)
        for _ in range(N // 2):
            grad = grad * factor
        return y.sum(), grad

    return step


def with_autograd(autograd, data):
    x, factor, term = data.x, data.factor, data.term

    def chain(y):
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        return autograd.numpy.sum(y)

    loss_and_gradient = autograd.value_and_grad(chain)
    return lambda: loss_and_gradient(x)


def with_mygrad(mygrad, data):
    mygrad.turn_memory_guarding_off()  # as its documentation advises for speed
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
        loss = y.sum()
        loss.backward()
        return loss, x.grad

    return step


CASES = [
    Case(
        "chain",
        "1000 mul/add on 4 numbers, forward and backward",
        numbers,
        {
            "minigrad": with_tensors,
            "minigrad replay": replayed,
            "torch": with_tensors,
            "numpy": by_hand,
            "mygrad": with_mygrad,
            "autograd": with_autograd,
        },
        also=(("minigrad replay", "minigrad"), ("minigrad", "mygrad")),
    )
]
