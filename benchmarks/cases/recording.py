"""What a recording costs: programs inside `whoholds.record()`, over the same programs outside."""

from types import SimpleNamespace

import numpy as np

import whoholds
from benchmarks.case import Case


def chain_numbers(n, *shape):
    return SimpleNamespace(
        n=n,
        x=np.ones(shape, np.float32),
        factor=np.full(shape, 1.001, np.float32),
        term=np.full(shape, 0.001, np.float32),
    )


def chain(mg, data):
    x = mg.tensor(data.x, requires_grad=True)
    factor, term = mg.tensor(data.factor), mg.tensor(data.term)

    def step():
        x.grad = None
        y = x
        for _ in range(data.n // 2):
            y = y * factor
            y = y + term
        loss = y.mean()
        loss.backward()
        return loss, x.grad

    return step


def layer_numbers(n=6, size=256):
    draw = np.random.default_rng(0)
    weights = draw.standard_normal((n, size, size), np.float32) / np.float32(size**0.5)
    return SimpleNamespace(x=draw.standard_normal((size, size), np.float32), weights=weights)


def layers(mg, data):
    """Products of matrices, with a bias and tanh."""
    x = mg.tensor(data.x)
    weights = [mg.tensor(w, requires_grad=True) for w in data.weights]
    biases = [mg.zeros(len(w), requires_grad=True) for w in data.weights]

    def step():
        for p in weights + biases:
            p.grad = None
        h = x
        for w, b in zip(weights, biases, strict=True):
            h = (h @ w + b).tanh()
        loss = h.mean()
        loss.backward()
        return loss, weights[0].grad

    return step


def recording(mg):
    """Entered once a round: what that costs is another figure (once.py)."""
    return whoholds.record(engine="minigrad")


CASES = [
    Case(name, title, make, {"minigrad": program, "minigrad recorded": program},
         base="minigrad", inside={"minigrad recorded": recording})
    for name, title, make, program in [
        ("record-chain", "recording 1000 mul/add on 4 numbers",
         lambda: chain_numbers(1000, 4), chain),
        ("record-layers", "recording 6 layers of 256 x 256", layer_numbers, layers),
        ("record-elementwise", "recording 60 mul/add on 256 x 256",
         lambda: chain_numbers(60, 256, 256), chain),
    ]
]  # fmt: skip
