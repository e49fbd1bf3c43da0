"""Instruments for one training step: what it costs, and its bytes alive along the way.

A net is a function of one tensor. Lessons run this on minigrad and on PyTorch, so it uses only
what both have. Bytes count from just before the step; the step's input is the first of them.
"""

from typing import NamedTuple

import minigrad as mg

_points: list = []  # (label, bytes) of the step that `bytes_along` runs; else empty


class Price(NamedTuple):
    """What a step costs: U held after forward, U at its highest point, products of matrices."""

    held: float
    highest: float
    products: int

    def __str__(self):
        held, highest = f"{round(self.held, 1):g} U", f"{round(self.highest, 1):g} U"
        return f"{held} held, {highest} highest, {self.products} products"


def price(net, data, engine=mg):
    """The Price of forward and backward of `net`; 1 U is `data.nbytes`.

    `engine` is minigrad, or `course.twin.tracker.as_mg()`: PyTorch.
    """
    before = engine.memory_allocated()
    engine.reset_peak_memory_stats()
    with engine.memory.count_ops() as n:
        x = data.detach().clone().requires_grad_()
        y = net(x)
        held = engine.memory_allocated() - before
        y.backward(engine.ones_like(y))
    highest = engine.max_memory_allocated() - before
    return Price(held / data.nbytes, highest / data.nbytes, n.matmuls)


def bytes_along(net, data):
    """[(label, bytes alive)]: x, what the net marks, seed, marks, end."""
    _points[:] = [("before", mg.memory_allocated())]
    try:
        x = data.detach().clone().requires_grad_()
        mark("x")
        y = net(x)
        seed = mg.ones_like(y)
        mark("seed")
        y.backward(seed)
        del seed
        mark("end")
        return _points[1:]
    finally:
        _points.clear()


def mark(label):
    """Note the bytes alive now under this label; outside `bytes_along` nothing happens."""
    if _points:
        _points.append((label, mg.memory_allocated() - _points[0][1]))


def watch(number, h):
    """Mark block `number`, which has just made `h`: f3 in forward, r3 when it runs again.

    If it was recorded, b3 follows when backward has the gradient of `h`.
    """
    if _points:
        again = f"f{number}" in dict(_points)
        mark(f"r{number}" if again else f"f{number}")
        if h.requires_grad:
            h.register_hook(lambda grad: mark(f"b{number}"))


def aligned(steps):
    """{name: points} of several steps over the labels of the longest, so that one axis has all.

    Where a step has no such moment it stays at the bytes that it had before.
    """
    labels = [label for label, _ in max(steps.values(), key=len)]
    return {name: _along(labels, dict(points)) for name, points in steps.items()}


def _along(labels, sizes):
    size = 0
    return [(label, size := sizes.get(label, size)) for label in labels]


def table(steps, unit):
    """Text of {name: points}: a column for a label, a row for a step, in U of `unit` bytes."""
    steps = aligned(steps)
    heads, *_ = [[label for label, _ in points] for points in steps.values()]
    rows = {name: [f"{size / unit:g}" for _, size in points] for name, points in steps.items()}
    first = max(map(len, rows))
    widths = [max(map(len, column)) for column in zip(heads, *rows.values(), strict=True)]
    return "\n".join(
        name.ljust(first)
        + "".join(f" {cell:>{wide}}" for cell, wide in zip(row, widths, strict=True))
        for name, row in {"": heads, **rows}.items()
    )
