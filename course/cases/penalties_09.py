"""Lesson 09: a scale that comes late, and penalties for one backward."""

import minigrad as mg
from course.trying import Raised, case, differs, measure

from .lesson_09 import grads, weight

# --- late_scale


def two_halves(draw):
    """(arguments of late_scale, the two weights)."""
    x, wide = mg.tensor(draw.array(draw.int(16, 48), 8)), mg.tensor(draw.array(8, 32))
    w, v = weight(draw, 8, 8), weight(draw, 8, 8, size=0.5)  # deep, and yet not chaotic

    def penalty(h):
        return (h @ wide).tanh().mean()

    def second(h):
        for _ in range(16):  # so deep that its own bytes make the peak
            h = (h @ v).tanh()
        return h

    return (x, lambda h: (h @ w).tanh(), second, penalty), [w, v]


def order(got, want):
    if isinstance(got, Raised) and "mul_" in got.text:
        return "Nothing was in `c.grad` yet: the penalty's backward has to come before."
    if isinstance(got, Raised):
        return None
    if differs(got[1], want[1]):
        return "The gradient of the second half is not that of `out.sum()`: does out come from c?"
    return (
        "The gradient below the cut is wrong: as the scale is multiplied, `c.grad` must hold the "
        "penalty's part, and it alone; and `h.backward` needs all of it."
    )


@case("late_scale", "the gradients of both halves", points=2, hint=order)
def late_gradients(f, draw):
    arguments, leaves = two_halves(draw)
    f(*arguments)
    return grads(leaves)


@case(
    "late_scale",
    "products",
    at_most="52",  # 16 + 2 forward, 32 + 2 backward; wrong from 69
    hint="More products than one walk needs. What is computed a second time, and what has the "
    "boundary made unnecessary?",
)
def late_products(f, draw):
    return measure(f, *two_halves(draw)[0]).matmuls


@case(
    "late_scale",
    "bytes at the peak",
    points=2,
    at_most="21 U",  # right 20.3 to 20.6, a copy of h 21.3
    hint="More is alive at once than needed. Is it a copy of h, or a branch that is still held by "
    "a name?",
)
def late_peak(f, draw):
    arguments, _ = two_halves(draw)
    return measure(f, *arguments).at_peak(U=arguments[0].nbytes)


# --- penalised_step


def tower(draw, count):
    """(arguments of penalised_step, the weights)."""
    x, wide = mg.tensor(draw.array(64, 8)), mg.tensor(draw.array(8, 32))
    leaves = [weight(draw, 8, 8) for _ in range(count)]
    blocks = [lambda h, w=w: (h @ w).tanh() for w in leaves]
    return (x, blocks, lambda h: (h @ wide).tanh().sum()), leaves


def late_bound(x, blocks, penalty):
    """What the slip of Python's loops gives: as the hooks run, all of them add the last `g`."""
    outputs: list = []
    for block in blocks:
        outputs.append(block(outputs[-1] if outputs else x))
    (g,) = mg.autograd.grad(penalty(outputs[-1]), outputs[-1:])
    (outputs[-1] + sum(outputs) * g).sum().backward()


def stepping(sentence):
    """A hint for a value that is wrong, `sentence`; of errors, for the one that this step meets."""

    def hint(got, want):
        if not isinstance(got, Raised):
            return sentence
        if "second time" in got.text:
            return (
                "A backward has run a node of the backbone and freed it: stop in front of the node "
                "that made h."
            )
        return None

    return hint


def about_penalties(got, want):
    if isinstance(got, dict) and got["the last g in every hook"]:
        return (
            "Every hook adds the `g` of the last turn: a function made in a loop looks its names "
            "up when it is called. Bind this turn's now: `lambda grad, g=g: ...`."
        )
    return stepping(
        "Each penalty must reach all the weights below it, once; and `h.sum()` at the end too."
    )(got, want)


@case("penalised_step", "the gradients", hint=about_penalties)
def penalised_gradients(f, draw):
    arguments, leaves = tower(draw, draw.int(4, 6))
    f(*arguments)
    found = grads(leaves)
    for leaf in leaves:
        leaf.grad = mg.zeros(leaf.shape)
    late_bound(*arguments)
    return {"gradients": found, "the last g in every hook": not differs(found, grads(leaves))}


@case(
    "penalised_step",
    "products beyond 6 a block",
    points=2,
    at_most="0",
    hint=stepping(
        "More products than one walk needs. If lower blocks are walked once for each penalty above "
        "them, that is a square: walk them once."
    ),
)
def penalised_products(f, draw):
    count = draw.int(12, 20)
    return max(0, measure(f, *tower(draw, count)[0]).matmuls - 6 * count)


@case(
    "penalised_step",
    "bytes at the peak",
    points=2,
    at_most="2 blocks + 10 U",  # right to 2 and 7 U, wrong from 3 and 6 U
    hint=stepping(
        "More is alive at that line than the backbone and a branch. Does too much wait for the "
        "end? Of a branch, 1 U may stay: which tensor is that?"
    ),
)
def penalised_peak(f, draw):
    x, blocks, penalty = tower(draw, draw.int(12, 20))[0]
    cost = measure(f, x, blocks, penalty)
    return cost.at_peak(blocks=len(blocks) * x.nbytes, U=x.nbytes)
