"""Memory golf of lesson 10: a step of many blocks."""

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, beside, case, differs, measure
from course.trying.draw import Draw
from course.trying.golf import hole

from .digest import digest


def weights(draw, *shape, scale=1.0):
    return mg.tensor(draw.array(*shape) * np.float32(scale), requires_grad=True)


def green(draw, count, rows):
    """(x, blocks), and the leaves by name."""
    x, blocks = weights(draw, rows, 8), []
    leaves: dict = {}
    for i in range(1, count + 1):
        w, v = weights(draw, 8, 8, scale=0.2), weights(draw, 8, 8, scale=0.2)
        leaves |= {f"w of block {i}": w, f"v of block {i}": v}
        blocks.append(lambda h, w=w, v=v: h + (h @ w).tanh() @ v)
    return (x, blocks), leaves | {"x": x}


ROWS = 512  # so that an input, kept in whatever form, outweighs what Python needs beside it


def golf_step(f, draw, count):
    (x, blocks), leaves = green(draw, count, ROWS)
    for leaf in leaves.values():
        leaf.grad = mg.zeros(leaf.shape)  # in no difference

    def step():
        y = f(x, blocks)
        y.backward(mg.ones(y.shape))

    return measure(step), list(leaves.values())


LATE = "a function made in a loop sees the loop's last value."


@any_form
def wrapping(got, want):
    if isinstance(got, Raised) and got.kind == "RecursionError":
        return f"A function calls itself again and again: {LATE}"
    if isinstance(got, Raised) and got.kind == "CheckpointError":
        return (
            f"A segment's second run was not like its first. Did it run other blocks? Then: {LATE}"
        )
    if not isinstance(got, dict):
        return None
    if got.get("forward") == "others":
        return f"Forward did not run each block once, in its order. Perhaps {LATE}"
    return (
        "Forward ran each block once, in its order; the gradients are others. Does the graph lead "
        "from y through all of it? Does each second run see the blocks of its own segment?"
    )


@case("memory_golf", "the gradients", hint=wrapping)
def golf_gradients(f, draw):
    (x, blocks), leaves = green(draw, draw.int(7, 11), 64)
    found, order = gradients(f, x, blocks, leaves)
    right, once = gradients(lambda x, blocks: stretch(blocks)(x), x, blocks, leaves)
    if not differs(found, right):
        return {"gradients": found}
    return {"gradients": found, "forward": "each block once" if order == once else "others"}


def gradients(way, x, blocks, leaves):
    """(a digest of each leaf's gradient, the numbers of the blocks as forward ran them)."""
    order: list = []
    for leaf in leaves.values():
        leaf.grad = mg.zeros(leaf.shape)
    y = way(x, [noted(block, order, i) for i, block in enumerate(blocks)])
    forward = list(order)
    y.backward(mg.ones(y.shape))
    return [digest(leaf.grad) for leaf in leaves.values()], forward


def noted(block, order, i):
    return lambda h: order.append(i) or block(h)


@case(
    "memory_golf",
    "products beyond 8 a block",
    cost=True,
    hint="A product is computed a third time: is a checkpoint inside a checkpoint?",
)
def golf_products(f, draw):
    count = draw.int(20, 40)
    return max(0, golf_step(f, draw, count)[0].matmuls - 8 * count)


@case(
    "memory_golf",
    "U at the peak besides x",
    points=3,
    at_most="equal + 0.5",  # the goal; a stale input is 1 U more
    hint="More is alive than needed. Are too many inputs kept, or is a tooth too high? "
    "A block in a tooth weighs 2 U, an input 1.",
)
def golf_peak(f, draw):
    count = draw.int(28, 44)
    peak = golf_step(f, draw, count)[0].peak  # the map is picture enough
    return beside(peak / (ROWS * 8 * 4), equal=equal(count))


def equal(count):
    """U at the peak with equal segments of the best length, the last of which is bare."""
    return min(-(-count // every) + 2 * every + 2 for every in range(1, count + 1))


def stretch(blocks):
    def run(h):
        for each in blocks:
            h = each(h)
        return h

    return run


hole(
    "memory_golf",
    "Memory golf: a step of 36 blocks",
    "10",
    lambda: green(Draw("green", "memory_golf", "map"), 36, 256),
    lambda x, blocks: stretch(blocks)(x),
    unit=8192,
)
