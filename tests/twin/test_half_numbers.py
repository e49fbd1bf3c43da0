"""Half floats beside a number for which they have no room: PyTorch does not round it before."""

import os
import random

import numpy as np

import minigrad as mg
from minigrad.ops import arithmetic

SEED = int(os.environ["MINIGRAD_MOVED"])
SIZE = 64  # of an array
OPERATIONS = {
    "*": lambda m, x, n: x * n,
    "number *": lambda m, x, n: n * x,
    "/": lambda m, x, n: x / n,
    "number /": lambda m, x, n: n / x,
    "a tensor": lambda m, x, n: x * m.tensor(n),
    "over a tensor": lambda m, x, n: x / m.tensor(n),
    "twice": lambda m, x, n: x * n / n,
    "lerp": lambda m, x, n: x.lerp(x.flip(0), n),
    "leaky_relu": lambda m, x, n: m.nn.functional.leaky_relu(x, n),
    "alpha": lambda m, x, n: m.add(x, x.flip(0), alpha=n),
    "power": lambda m, x, n: (x.abs() + 1) ** n,
}
ALONE = {  # without a gradient
    "//": lambda m, x, n: x // n,
    "floor": lambda m, x, n: x.div(n, rounding_mode="floor"),
    "trunc": lambda m, x, n: x.div(n, rounding_mode="trunc"),
    "*=": lambda m, x, n: x.mul_(n),
    "/=": lambda m, x, n: x.div_(n),
    "*= a tensor": lambda m, x, n: x.mul_(m.tensor(n)),
    "//=": lambda m, x, n: x.floor_divide_(n),
    "add_": lambda m, x, n: x.add_(x.flip(0), alpha=n),
}


def drawn(draw) -> tuple:
    """(name, numbers of an array, a number)."""
    numbers = [draw.gauss(0, 1) * 10 ** draw.uniform(-4, 3) for _ in range(SIZE)]
    number = draw.choice([1, -1]) * 10 ** draw.uniform(-9, 9)
    return draw.choice([*OPERATIONS, *ALONE]), numbers, draw.choice([number, round(number)])


def said(engine, name, numbers, number) -> list:
    """The result, and the gradient; or the class of an error."""
    x = engine.tensor(numbers).half()
    try:
        if name in ALONE:
            return [ALONE[name](engine, x, number).tolist()]
        x.requires_grad_()
        out = OPERATIONS[name](engine, x, number)
        out.backward(engine.tensor(numbers[::-1]).half())
    except Exception as error:
        return [type(error).__name__]
    return [out.tolist(), x.grad.tolist()]


def close(ours, theirs) -> bool:
    """To the last digit, which each processor has its own way to."""
    if isinstance(theirs, str) or isinstance(ours, str):
        return ours == theirs
    return np.allclose(ours, theirs, rtol=2.0**-9, atol=2.0**-23, equal_nan=True)


def differing(torch, count, seed=SEED) -> list:
    draw = random.Random(seed)
    each = [drawn(draw) for _ in range(count)]
    both = [[said(engine, *one) for engine in (mg, torch)] for one in each]
    return [
        (name, number)
        for (name, _, number), (ours, theirs) in zip(each, both, strict=True)
        if len(ours) != len(theirs) or not all(map(close, ours, theirs))
    ]


def test_a_number_is_not_rounded_before_the_result(torch):
    assert differing(torch, 800) == []


def test_one_that_is_rounded_is_found(torch, monkeypatch):
    monkeypatch.setattr(arithmetic.MulBackward0, "beside", None)
    assert {"*", "number *", "*="} <= {name for name, _ in differing(torch, 800)}
