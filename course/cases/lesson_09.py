"""Lesson 09: where a backward stops, what is scaled on the way, and two budgets at once."""

import minigrad as mg
from course.trying import Raised, by_hand, case, differs, error_of, measure

from .digest import digest
from .several import about_first_wrong, answered

STEPS = "tanh", "minus", "plus", "double"
WAYS = "plain", "inputs", "grad"


def weight(draw, *shape, size=1.0):
    """A leaf whose gradient is there beforehand."""
    leaf = mg.tensor(draw.array(*shape) * size, requires_grad=True)
    leaf.grad = mg.zeros(shape)
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
    draws=5,
    hint=about("a plain backward walks down to the leaf, through every step."),
)
def ran_plain(f, draw):
    careful = ["plus", *draw.some(("plus", "minus"), 2), "minus"]
    return asked(f, [careful, *chains(draw)], "plain")


@case(
    "nodes_that_ran",
    "autograd.grad",
    invariant=True,
    hint=about("`autograd.grad` stops in front of the node that made h."),
)
def ran_grad(f, draw):
    return asked(f, chains(draw), "grad")


@case(
    "nodes_that_ran",
    "backward(inputs=[h])",
    points=2,
    draws=3,
    hint=about(
        "it can deliver a gradient to h only by way of the node that made h, and no further."
    ),
)
def ran_inputs(f, draw):
    lasts = draw.some(STEPS, len(STEPS))
    lists = [[*steps, last] for steps, last in zip(chains(draw), lasts, strict=True)]
    return asked(f, lists, "inputs")


@by_hand("nodes_that_ran", "read the list of steps")
def ran_by_hand(draw):
    return [draw.choice(STEPS) for _ in range(10)], draw.choice(WAYS)


# --- ScaleRows


ROW_BY_ROW = "the gradient, row by row"


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
    ROW_BY_ROW,
    hint=scaling("Each row of the gradient gets its own factor; forward changes nothing."),
)
def scale_gradient(f, draw):
    a, scale = rows(draw)
    y = f.apply(a * 1.0, scale)
    (y * y).sum().backward()
    return [y.tolist(), a.grad.tolist()]


def about_main(got, want):
    if isinstance(got, Raised):
        return scaling("")(got, want)
    if got["main path scaled, too"]:
        return "The main path was scaled too: the result must be a tensor of its own."
    return "The gradients of both paths are added up, and `scale` is in one of them."


@case("ScaleRows", "beside a main path that is not scaled", hint=about_main)
def scale_branch(f, draw):
    a, scale = rows(draw)
    h = a * 1.0
    (h.exp().sum() + f.apply(h, scale).sum()).backward()
    both = ((a.detach().exp() + 1.0) * scale).tolist()
    found = a.grad.tolist()
    return {"gradient": found, "main path scaled, too": not differs(found, both)}


@case(
    "ScaleRows",
    "bytes that forward makes",
    at_most="0",
    needs=(ROW_BY_ROW,),
    hint="Forward made new bytes; a view has those of its tensor.",
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
    needs=(ROW_BY_ROW,),
    hint="More is held than backward needs. Nobody else holds this `h`: what does backward need of "
    "it?",
)
def scale_held(f, draw):
    a, scale = rows(draw)
    found = measure(lambda: f.apply(a + 1.0, scale).sum())
    return found.at_end(found.kept)


@case(
    "ScaleRows",
    "bytes left when only the loss is kept",
    points=2,
    at_most="4",
    needs=(ROW_BY_ROW,),
    hint="More is alive than the loss and what the caller holds. The loss leads to your node: what "
    "does its `ctx` hold that backward did not let go?",
)
def scale_left(f, draw):
    a, scale = rows(draw)

    def step():
        loss = f.apply(a * 1.0, scale * 1.0).sum()
        loss.backward()
        return loss

    found = measure(step)
    return found.at_end(found.kept)


def about_change(got, want):
    if isinstance(got, Raised):
        return None
    if "no error" in got:
        return "Nobody noticed the change: a tensor in `ctx` has no version that is checked."
    return "Only a scale that was changed stops a backward; else the gradient comes as ever."


@case(
    "ScaleRows",
    "a scale that is changed before backward",
    needs=(ROW_BY_ROW,),
    draws=2,
    hint=about_change,
)
def scale_changed(f, draw):
    """Some are changed and some are not, in any order: no error is right by itself."""
    changes = draw.some([True, draw.choice((True, False)), False], 3)
    return [after_change(f, draw, changes_it) for changes_it in changes]


def after_change(f, draw, changes_it):
    """The gradient that came, or what stopped the backward."""
    a, scale = rows(draw)
    loss = f.apply(a * 1.0, scale).sum()
    if changes_it:
        scale.mul_(2.0)
    error = error_of(loss.backward)
    if "modified by an inplace operation" in error:
        return "the change is noticed"
    return error if changes_it or error != "no error" else digest(a.grad)
