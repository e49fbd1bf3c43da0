"""What a recording costs: programs inside `whoholds.record()`, over the same programs outside.

In a function, where names are looked at when it is over, and written in the block itself, where
they are looked at line by line. Neither the beginning nor the end of a recording is timed: what
they cost is another figure (once.py).
"""

import contextlib
import functools
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


def chain_in_block(watch, mg, data):
    def steps(x, factor, term, n):
        with watch():
            yield
            y = x
            for _ in range(n // 2):
                y = y * factor
                y = y + term
            loss = y.mean()
            loss.backward()
            yield loss, x.grad

    x = mg.tensor(data.x, requires_grad=True)
    return begun(steps(x, mg.tensor(data.factor), mg.tensor(data.term), data.n))


def begun(steps):
    """Its next step is inside the block."""
    next(steps)
    return steps.__next__


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


def in_function(program, watch, mg, data):
    step = program(mg, data)

    def steps():
        with watch():
            yield
            yield step()

    return begun(steps())


record = functools.partial(whoholds.record, engine="minigrad")


def case(name, title, numbers, run):
    engines = {
        "minigrad": functools.partial(run, contextlib.nullcontext),
        "minigrad recorded": functools.partial(run, record),
    }
    title = f"recording {title}"
    return Case(name, title, numbers, engines, "minigrad", anew=True, ledger=False)


small, large = (functools.partial(chain_numbers, *given) for given in ((1000, 4), (60, 256, 256)))
CASES = [
    case("record-chain", "1000 mul/add on 4 numbers, in a function", small,
         functools.partial(in_function, chain)),
    case("record-chain-block", "the same, written in the block", small, chain_in_block),
    case("record-layers", "6 layers of 256 x 256, in a function", layer_numbers,
         functools.partial(in_function, layers)),
    case("record-elementwise", "60 mul/add on 256 x 256, in a function", large,
         functools.partial(in_function, chain)),
    case("record-elementwise-block", "the same, written in the block", large, chain_in_block),
]  # fmt: skip
