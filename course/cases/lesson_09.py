"""Lesson 09: where a backward stops, what is scaled on the way, and two budgets at once."""

import minigrad as mg
from course.grade import Raised, by_hand, case, error_of, measure, plain

from .several import about_first_wrong, answered

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


def chain_text(steps, way):
    return f"{' '.join(steps)}; {way}"


def about(sentence):
    def say(question, said, right):
        if not isinstance(said, list) or len(said) != 2:
            return "return two values: a number of nodes, and True or False."
        if said[0] != right[0]:
            return sentence
        if said[1]:
            return "a node that ran had saved something, a tensor or a number: it cannot run again."
        return "the nodes that ran had saved nothing, or none ran: what should the last line miss?"

    return about_first_wrong(say)


def chains(draw, count=4):
    return [[draw.choice(STEPS) for _ in range(draw.int(2, 5))] for _ in range(count)]


def asked(f, chains, way):
    return answered(f, [(steps, way) for steps in chains], chain_text)


@case(
    "nodes_that_ran",
    "a plain backward",
    hint=about("a plain backward walks down to the leaf, through every step."),
)
def ran_plain(f, draw):
    careful = ["plus", *draw.some(("plus", "minus"), 2), "minus"]
    return asked(f, [careful, *chains(draw)], "plain")


@case(
    "nodes_that_ran",
    "autograd.grad",
    hint=about("`autograd.grad` stops in front of the node that made h."),
)
def ran_grad(f, draw):
    return asked(f, chains(draw), "grad")


@case(
    "nodes_that_ran",
    "backward(inputs=[h])",
    points=2,
    hint=about(
        "it can deliver a gradient to h only by way of the node that made h, and no further."
    ),
)
def ran_inputs(f, draw):
    lists = [[*steps, last] for steps, last in zip(chains(draw), STEPS, strict=True)]
    return asked(f, lists, "inputs")


@by_hand("nodes_that_ran", "read the list of steps")
def ran_by_hand(draw):
    return [draw.choice(STEPS) for _ in range(10)], draw.choice(WAYS)


# --- ScaleRows


def rows(draw):
    """A leaf, and a scale for each of its rows."""
    count = draw.int(4, 9)
    return weight(draw, count, 2), mg.tensor(draw.array(count, 1))


def scaling(sentence):
    def hint(got, want):
        if isinstance(got, Raised) and "number of gradients" in got.text:
            return (
                "Forward has two arguments, so backward returns two values; `scale` wants no "
                "gradient."
            )
        if isinstance(got, Raised) and ("memory location" in got.text or "inplace" in got.text):
            return "`grad` may be a view of other bytes: make a new tensor, and write into none."
        return None if isinstance(got, Raised) else sentence

    return hint


@case(
    "ScaleRows",
    "the gradient, row by row",
    hint=scaling("Each row of the gradient gets its own factor; forward changes nothing."),
)
def scale_gradient(f, draw):
    a, scale = rows(draw)
    y = f.apply(a * 1.0, scale)
    (y * y).sum().backward()
    return [y.tolist(), a.grad.tolist()]


@case(
    "ScaleRows",
    "beside a main path that is not scaled",
    hint=scaling("The main path was scaled too: the result must be a tensor of its own."),
)
def scale_branch(f, draw):
    a, scale = rows(draw)
    h = a * 1.0
    (h.exp().sum() + f.apply(h, scale).sum()).backward()
    return a.grad.tolist()


@case(
    "ScaleRows",
    "bytes that forward makes",
    at_most="0",
    hint="Forward made a copy; a view has the same bytes.",
)
def scale_bytes(f, draw):
    a, scale = rows(draw)
    h = a * 1.0
    cost = measure(f.apply, h, scale)
    return cost.at_peak(cost.peak)


@case(
    "ScaleRows",
    "bytes held before backward",
    at_most="4",
    hint="Nobody else holds this `h`, yet it is alive: what does backward need of it?",
)
def scale_held(f, draw):
    a, scale = rows(draw)
    return measure(lambda: f.apply(a + 1.0, scale).sum()).kept


@case(
    "ScaleRows",
    "bytes left when only the loss is kept",
    points=2,
    at_most="4",
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
    if not isinstance(got, list) or not plain.same(got[1], want[1]):
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
    hint="Something is computed a second time that the boundary had made unnecessary.",
)
def late_products(f, draw):
    return measure(f, *two_halves(draw)[0]).matmuls


@case(
    "late_scale",
    "bytes at the peak",
    points=2,
    at_most="21 U",  # right 20.3 to 20.6, a copy of h 21.3
    hint="More is alive at once than needed: a copy of h, or a branch that is "
    "still held by a name.",
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
    at_most="0",
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
    at_most="2 blocks + 10 U",  # right to 2 and 7 U, wrong from 3 and 6 U
    hint=lambda got, want: (
        stepping(got, want)
        or "Too much waits for the end. Of a branch, 1 U may stay: which tensor is that?"
    ),
)
def penalised_peak(f, draw):
    x, blocks, penalty = tower(draw, draw.int(12, 20))[0]
    cost = measure(f, x, blocks, penalty)
    return cost.at_peak(blocks=len(blocks) * x.nbytes, U=x.nbytes)
