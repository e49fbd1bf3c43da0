"""Memory golf of lesson 11: a reversible step."""

import minigrad as mg
from course.trying import case, measure
from course.trying.banned import ban
from course.trying.draw import Draw
from course.trying.golf import hole

from .digest import digest
from .lesson_11 import GRADIENTS, PRODUCTS, nets, paired, tensor
from .planted import stored

for exercise in "FlatChain", "SwapChain", "reversible_golf":
    ban(exercise, "minigrad.reversible", "`mg.reversible`")
    for module in "chains", "stored_twin":
        ban(exercise, f"course.{module}", f"`{module}`")


def green(draw, count, rows):
    """(x, blocks), and the leaves by name."""
    x = tensor(draw, rows, 6).requires_grad_()
    fns, weights = nets(draw, 2 * count)
    return (x, paired(fns)), {"x": x} | {f"weight {i}": w for i, w in enumerate(weights, 1)}


def golf_step(f, draw, count):
    (x, blocks), leaves = green(draw, count, draw.int(30, 60))
    x.grad, unit = mg.zeros_like(x), x.nbytes

    def step():
        y = f(x, blocks)
        y.backward(mg.ones_like(y))

    return measure(step), leaves, unit


@case("reversible_golf", "gradients", points=2, hint=GRADIENTS)
def golf_gradients(f, draw):
    return [digest(leaf.grad) for leaf in golf_step(f, draw, 4)[1].values()]


def about_caller(got, want):
    if not isinstance(got, dict):
        return None
    name = next(name for name, state in got.items() if state != want[name])
    return f"Your backward, or forward, wrote into {name}, which is the caller's: clone it first."


@case("reversible_golf", "what the caller holds, afterwards", cost=True, hint=about_caller)
def golf_caller(f, draw):
    (x, blocks), _ = green(draw, 3, draw.int(30, 60))
    data = x.tolist()
    y = f(x, blocks)
    seed = mg.tensor(draw.array(*y.shape))
    before = y.tolist(), seed.tolist(), data
    y.backward(seed)
    pairs = zip(("the output", "the seed", "x"), (y, seed, x), before, strict=True)
    return {name: "as it was" if t.tolist() == old else "spoiled" for name, t, old in pairs}


@case("reversible_golf", "products beyond 16 a block", cost=True, hint=PRODUCTS)
def golf_products(f, draw):
    count = draw.int(4, 9)
    return max(0, golf_step(f, draw, count)[0].matmuls - 16 * count)


@case(
    "reversible_golf",
    "U at the peak besides x, 12 blocks",
    points=2,
    at_most="8.25",  # the goal is 8; right 7.5 to 8, wrong from 9
    hint="At the peak old streams are alive beside new ones, or old gradients. Who reads the old "
    "ones again?",
)
def golf_peak(f, draw):
    step, _, unit = golf_step(f, draw, 12)
    return step.at_peak(step.peak / unit)


hole(
    "reversible_golf",
    "Reversible golf: a step of 24 blocks",
    "11",
    lambda: green(Draw("green", "reversible_golf", "map"), 24, 64),
    stored,
    unit=64 * 6 * 4,
)
