"""Sums of many terms are as exact as PyTorch's, in half floats too, along whatever axis.

Each is compared with the same in float64: minigrad may be as far from it as PyTorch is, and a
few units in the last place farther.
"""

import os
import random

import numpy as np
import pytest

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])
EPSILON = {"float16": 2.0**-10, "float32": 2.0**-23}
RESULTS = {  # of a matrix of one long side
    "sum": lambda mg, x, dim: x.sum(dim),
    "sum of all": lambda mg, x, dim: x.sum(),
    "mean": lambda mg, x, dim: x.mean(dim),
    "variance": lambda mg, x, dim: x.var(dim),
    "norm": lambda mg, x, dim: x.norm(2, dim),
    "norm(1)": lambda mg, x, dim: x.norm(1, dim),
    "cumsum": lambda mg, x, dim: x.cumsum(dim),
    "cumprod": lambda mg, x, dim: (1 + x / 4096).cumprod(dim),
    "logsumexp": lambda mg, x, dim: x.logsumexp(dim),
    "batch_norm": lambda mg, x, dim: mg.nn.functional.batch_norm(x, None, None, training=True),
    "avg_pool2d": lambda mg, x, dim: mg.nn.functional.avg_pool2d(x[None, None], tuple(x.shape)),
    "scatter_add": lambda mg, x, dim: mg.zeros_like(x).scatter_add(dim, (0 * x).long(), x),
    "mse_loss": lambda mg, x, dim: mg.nn.functional.mse_loss(x, 0 * x),
}
GRADIENTS = {  # of a vector `b` that is repeated
    "a bias": lambda mg, x, b: x + b,
    "a factor": lambda mg, x, b: x * b,
    "a column": lambda mg, x, b: x.t() + b[:, None],
    "layer_norm's weight": lambda mg, x, b: mg.nn.functional.layer_norm(x, tuple(b.shape), b) ** 2,
    "a convolution's bias": lambda mg, x, b: mg.nn.functional.conv2d(
        x.reshape(1, 1, 1, -1), 0 * x[:1, :1, None, None] + 1, b[:1]
    ),
    "what is repeated": lambda mg, x, b: b.repeat(len(x), 1),
    "what is expanded": lambda mg, x, b: b.expand(len(x), len(b)),
    "cumsum": lambda mg, x, b: (x * b).cumsum(0),
    "gather": lambda mg, x, b: x.t() * b.gather(0, (0 * x[:, 0]).long()),
    "gather of rows": lambda mg, x, b: x * b[None].gather(0, (0 * x).long()),
    "index_select": lambda mg, x, b: x.t() * b.index_select(0, (0 * x[:, 0]).long()),
    "index_select of rows": lambda mg, x, b: x * b[None].index_select(0, (0 * x[:, 0]).long()),
    "x[index]": lambda mg, x, b: x * b[None][(0 * x[:, 0]).long()],
    "embedding": lambda mg, x, b: x * mg.nn.functional.embedding((0 * x[:, 0]).long(), b[None]),
}


def drawn(draw, dtype):
    """A matrix with one long side; the numbers are of one sign, so that nothing cancels."""
    shape = [draw.randint(2, 5), draw.randint(1500, 9000 if dtype == "float16" else 60000)]
    draw.shuffle(shape)
    numbers = np.random.default_rng(draw.randrange(2**32)).random(shape) * draw.choice([0.1, 1, 3])
    return numbers.astype(dtype)


def result(name, mg, numbers, dim):
    return RESULTS[name](mg, mg.tensor(numbers), dim).numpy()


def gradient(name, mg, numbers, _):
    x = mg.tensor(numbers)
    b = mg.tensor(np.linspace(0.5, 1, numbers.shape[1]).astype(numbers.dtype), requires_grad=True)
    GRADIENTS[name](mg, x, b).sum().backward()
    return b.grad.numpy()


@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("how", [result, gradient])
def test_a_long_sum_is_as_exact_as_pytorchs(torch, how, dtype):
    draw = random.Random(f"{SEED} {how.__name__} {dtype}")
    for name in [*(RESULTS if how is result else GRADIENTS)] * 3:
        numbers, dim = drawn(draw, dtype), draw.randrange(2)
        assert is_as_exact(torch, how, name, numbers, dim), (SEED, name, numbers.shape, dim)


def is_as_exact(torch, how, name, numbers, dim) -> bool:
    exact = how(name, torch, numbers.astype(np.float64), dim)
    theirs, ours = (error(how(name, mg, numbers, dim), exact) for mg in (torch, minigrad))
    return ours <= 4 * theirs + 8 * EPSILON[numbers.dtype.name]


def error(found, exact) -> float:
    """The largest difference, as a part of the largest number; what may be inf is left out."""
    limit = np.finfo(found.dtype).max
    within = np.abs(exact) <= limit / 2
    far = np.abs(found.astype(np.float64) - exact)[within].max(initial=0)
    return far / max(np.abs(exact[within]).max(initial=0), 1e-300)


def test_numpys_own_sum_of_halves_would_be_seen(torch, monkeypatch):
    ones = np.ones((4000, 2), np.float16)
    assert is_as_exact(torch, result, "sum", ones, 0)
    monkeypatch.setattr(minigrad.ops.reduce, "added", lambda x, where, keepdims: x.sum(where))
    assert not is_as_exact(torch, result, "sum", ones, 0)
