"""Lesson 09: where a backward stops, what is scaled on the way, and two budgets at once."""

import minigrad as mg
from course.grade import Raised, case, error_of, measure

STEPS = "tanh", "minus", "plus", "double"
WAYS = "plain", "inputs", "grad"


def weight(draw, *shape):
    """A leaf whose gradient is there beforehand."""
    leaf = mg.tensor(draw.array(*shape), requires_grad=True)
    leaf.grad = mg.zeros(*shape)
    return leaf


def grads(leaves):
    return [None if t.grad is None else t.grad.tolist() for t in leaves]


# --- nodes_that_ran


def ran(got, want):
    if isinstance(got, Raised) or not isinstance(got, list):
        return None
    pairs = [i for i, one in enumerate(got) if one != want[i]]
    one, other = got[pairs[0]], want[pairs[0]]
    if not isinstance(one, list) or len(one) != 2:
        return "Return two values: a number of nodes, and True or False."
    if one[0] == other[0] and one[1]:
        return "A node that ran had saved something, a tensor or a number: it cannot run again."
    if one[0] == other[0]:
        return "The nodes that ran had saved nothing, or none ran: what should the last line miss?"
    return None


def about(sentence):
    return lambda got, want: ran(got, want) or sentence


def chains(draw, count=6):
    return [[draw.choice(STEPS) for _ in range(draw.int(2, 7))] for _ in range(count)]


@case(
    "nodes_that_ran",
    "a plain backward",
    hint=about("A plain backward walks down to the leaf, through every step."),
)
def ran_plain(f, draw):
    careful = [["plus", *draw.some(("plus", "minus"), 2), "minus"], *chains(draw)]
    return [list(f(steps, "plain")) for steps in careful]


@case(
    "nodes_that_ran",
    "autograd.grad",
    hint=about("`autograd.grad` stops in front of the node that made h."),
)
def ran_grad(f, draw):
    asked = chains(draw)
    return [list(f(steps, "grad")) for steps in asked]


@case(
    "nodes_that_ran",
    "backward(inputs=[h])",
    points=2,
    hint=about(
        "It can deliver a gradient to h only by way of the node that made h, and no further."
    ),
)
def ran_inputs(f, draw):
    asked = [[*steps, last] for steps, last in zip(chains(draw), (*STEPS, *STEPS), strict=False)]
    return [list(f(steps, "inputs")) for steps in asked]


@case(
    "nodes_that_ran",
    "worked out by hand",
    hint="Your function made tensors: read the list of steps instead.",
)
def ran_by_hand(f, draw):
    asked = chains(draw)
    return measure(lambda: [f(steps, draw.choice(WAYS)) for steps in asked]).peak


# --- ScaleRows


def rows(draw):
    """A leaf, and a scale for each of its rows."""
    count = draw.int(4, 40)
    return weight(draw, count, 3), mg.tensor(draw.array(count, 1))


@case(
    "ScaleRows",
    "the gradient, row by row",
    hint="Each row of the gradient is multiplied by its own number; forward changes nothing.",
)
def scale_gradient(f, draw):
    a, scale = rows(draw)
    y = f.apply(a * 1.0, scale)
    (y * y).sum().backward()
    return [y.tolist(), a.grad.tolist()]


@case(
    "ScaleRows",
    "beside a main path that is not scaled",
    hint="The main path was scaled too: the result must be a tensor of its own.",
)
def scale_branch(f, draw):
    a, scale = rows(draw)
    h = a * 1.0
    (h.exp().sum() + f.apply(h, scale).sum()).backward()
    return a.grad.tolist()


@case(
    "ScaleRows", "bytes that forward makes", hint="Forward made a copy; a view has the same bytes."
)
def scale_bytes(f, draw):
    a, scale = rows(draw)
    h = a * 1.0
    cost = measure(f.apply, h, scale)
    return cost.at_peak(cost.peak)


@case(
    "ScaleRows",
    "bytes left when only the loss is kept",
    points=2,
    hint="The loss leads to your node, and its `ctx` holds a tensor that backward did not let go.",
)
def scale_left(f, draw):
    a, scale = rows(draw)

    def step():
        loss = f.apply(a * 1.0, scale * 1.0).sum()
        loss.backward()
        return loss

    return measure(step).kept


@case(
    "ScaleRows",
    "a scale that is changed before backward",
    hint="Nobody noticed the change: a tensor in `ctx` has no version that is checked.",
)
def scale_changed(f, draw):
    a, scale = rows(draw)
    loss = f.apply(a * 1.0, scale).sum()
    scale.mul_(2.0)
    return "modified by an inplace operation" in error_of(loss.backward)


# --- late_scale


def two_halves(draw):
    """(arguments of late_scale, the two weights)."""
    x, wide = mg.tensor(draw.array(draw.int(16, 48), 8)), mg.tensor(draw.array(8, 32))
    w, v = weight(draw, 8, 8), weight(draw, 8, 8)

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
    if not isinstance(got, list) or got[1] != want[1]:
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
    at_most=1.0,
    hint="Something is computed a second time that the boundary had made unnecessary.",
)
def late_products(f, draw):
    return measure(f, *two_halves(draw)[0]).matmuls


@case(
    "late_scale",
    "bytes at the peak",
    points=2,
    at_most=1.0,
    hint="More is alive at once than needed: a copy of h, or a branch that is "
    "still held by a name.",
)
def late_peak(f, draw):
    cost = measure(f, *two_halves(draw)[0])
    return cost.at_peak(cost.peak)


# --- penalised_step


def tower(draw, count):
    """(arguments of penalised_step, the weights)."""
    x, wide = mg.tensor(draw.array(64, 8)), mg.tensor(draw.array(8, 32))
    leaves = [weight(draw, 8, 8) for _ in range(count)]
    blocks = [lambda h, w=w: (h @ w).tanh() for w in leaves]
    return (x, blocks, lambda h: (h @ wide).tanh().sum()), leaves


def stepping(got, want):
    if isinstance(got, Raised) and "second time" in got.text:
        return (
            "A backward has run a node of the backbone and freed it: stop in front of the node "
            "that made h."
        )
    return None


@case(
    "penalised_step",
    "the gradients",
    hint=lambda got, want: (
        stepping(got, want)
        or "Each penalty must reach all the weights below it, once; and `h.sum()` at the end too."
    ),
)
def penalised_gradients(f, draw):
    arguments, leaves = tower(draw, draw.int(4, 6))
    f(*arguments)
    return grads(leaves)


@case(
    "penalised_step",
    "products beyond 6 a block",
    points=2,
    hint=lambda got, want: (
        stepping(got, want)
        or "Lower blocks are walked once for each penalty above them: a square. Walk them once."
    ),
)
def penalised_products(f, draw):
    count = draw.int(12, 20)
    return max(0, measure(f, *tower(draw, count)[0]).matmuls - 6 * count)


@case(
    "penalised_step",
    "bytes at the peak",
    points=2,
    at_most=1.0,
    hint=lambda got, want: (
        stepping(got, want)
        or "Too much waits for the end. Of a branch, 1 U may stay: which tensor is that?"
    ),
)
def penalised_peak(f, draw):
    cost = measure(f, *tower(draw, draw.int(12, 20))[0])
    return cost.at_peak(cost.peak)
