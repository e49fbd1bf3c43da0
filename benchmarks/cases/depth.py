"""Bytes or time: 32 coupled blocks that store activations, checkpoint them, or compute them back.

A block is y1 = x1 + F(x2), y2 = x2 + G(y1), where F and G are Linear, relu, Linear.
"""

import math
from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

DEPTH, WIDTH, BATCH = 32, 64, 512


def numbers():
    """An input of two streams, and the parameters of F and of G of each block."""
    draw = np.random.default_rng(0)

    def function():
        weights = draw.standard_normal((2, WIDTH, WIDTH), np.float32) * np.float32(0.3 / WIDTH**0.5)
        return [part for w in weights for part in (w, np.zeros(WIDTH, np.float32))]

    blocks = [(function(), function()) for _ in range(DEPTH)]
    return SimpleNamespace(x=draw.standard_normal((BATCH, 2 * WIDTH), np.float32), blocks=blocks)


def function_of(mg, parameters):
    w1, b1, w2, b2 = [mg.nn.Parameter(mg.tensor(p)) for p in parameters]
    first, second = mg.nn.Linear(WIDTH, WIDTH), mg.nn.Linear(WIDTH, WIDTH)
    first.weight, first.bias, second.weight, second.bias = w1, b1, w2, b2
    return mg.nn.Sequential(first, mg.nn.ReLU(), second)


def functions(mg, data):
    return [(function_of(mg, f), function_of(mg, g)) for f, g in data.blocks]


def through(blocks, x1, x2):
    for f, g in blocks:
        x1 = x1 + f(x2)
        x2 = x2 + g(x1)
    return x1, x2


def step_of(network, x, blocks):
    """`network(x)` gives both streams; the loss is their mean square."""
    parameters = [p for f, g in blocks for p in (*f.parameters(), *g.parameters())]

    def step():
        for p in parameters:
            p.grad = None
        y = network(x)
        loss = (y * y).mean()
        loss.backward()
        return loss, parameters[0].grad

    return step


def standard(mg, data):
    blocks = functions(mg, data)

    def network(x):
        return mg.cat(through(blocks, *x.chunk(2, -1)), -1)

    return step_of(network, mg.tensor(data.x), blocks)


def checkpointed(mg, data):
    """Segments of about the square root of the depth, as the theory has it."""
    from importlib import import_module

    checkpoint = import_module(f"{mg.__name__}.utils.checkpoint").checkpoint
    blocks, size = functions(mg, data), math.isqrt(DEPTH)
    segments = [blocks[i : i + size] for i in range(0, DEPTH, size)]

    def network(x):
        x1, x2 = x.chunk(2, -1)
        for segment in segments:
            x1, x2 = checkpoint(through, segment, x1, x2, use_reentrant=False)
        return mg.cat((x1, x2), -1)

    return step_of(network, mg.tensor(data.x), blocks)


def reversible(mg, data):
    blocks = functions(mg, data)
    chain = mg.reversible.ReversibleSequential(
        *[mg.reversible.ReversibleBlock(f, g) for f, g in blocks]
    )
    return step_of(chain, mg.tensor(data.x), blocks)


CASES = [
    Case(
        "depth",
        f"{DEPTH} coupled blocks, width {WIDTH}, batch {BATCH}: stored, checkpointed, reversible",
        numbers,
        {
            "minigrad standard": standard,
            "minigrad checkpoint": checkpointed,
            "minigrad reversible": reversible,
            "torch standard": standard,
            "torch checkpoint": checkpointed,
        },
        base="torch standard",
        also=(
            ("minigrad checkpoint", "minigrad standard"),
            ("minigrad reversible", "minigrad standard"),
        ),
    )
]
