"""Lesson 18: what a recorded backward keeps, a penalty without a ring, products with a Hessian,
and training steps that can be differentiated."""

import warnings

import minigrad as mg
from course.trying import Raised, by_hand, case, differs, measure

from .lesson_09 import grads, weight
from .several import about_first_wrong, answered, of_tuple

PASSING, SAVING = ("minus", "shift"), ("tanh", "exp")
STEPS = (*PASSING, *SAVING, "square")


# --- held_with_gradient


def held_hint(steps, said, right):
    if not isinstance(said, list) or len(said) != 2:
        return "return two numbers, of the forward and with `g`."
    if said[0] != right[0]:
        return "after forward: which tensors did a node save? Each counts once, and `a` does not."
    if said[1] < right[1]:
        return (
            "too few with `g`: `g` counts, and each gradient that was saved by the node it came to."
        )
    return "too many with `g`: which gradients did nobody save? And the first one is one number."


holding = about_first_wrong(held_hint)


def held(f, lists):
    return answered(f, [(steps,) for steps in lists], " ".join)


def mixed(draw, steps, low, high, last):
    """Steps by chance, one of `last` at the end."""
    return [*(draw.choice(steps) for _ in range(draw.int(low, high))), draw.choice(last)]


@case("held_with_gradient", "a saver at the end", draws=2, hint=holding)
def held_plain(f, draw):
    return held(f, [mixed(draw, PASSING + SAVING, 4, 9, SAVING) for _ in "abc"])


@case("held_with_gradient", "something above the last saver", draws=2, hint=holding)
def held_above(f, draw):
    lists = []
    for above in draw.some([["minus"], ["shift"], ["minus", "shift"]], 3):
        lists.append([*mixed(draw, PASSING + SAVING, 3, 8, SAVING), *above])
    return held(f, lists)


@case("held_with_gradient", "squares among them", points=2, draws=7, hint=holding)
def held_squares(f, draw):
    lists = [[*mixed(draw, STEPS, 4, 9, STEPS), "square", draw.choice(STEPS)] for _ in "abc"]
    return held(f, lists)


@by_hand("held_with_gradient", "read the list of steps")
def held_by_hand(draw):
    return ([draw.choice(STEPS) for _ in range(12)],)


# --- what is bent is drawn: whoever derives one function by hand has not derived the others

BENDS = {
    "tanh": lambda h: h.tanh(),
    "sin": lambda h: h.sin(),
    "sigmoid": lambda h: h.sigmoid(),
    "two": lambda h: h.sin().tanh(),
    "square": lambda h: 0.25 * h.tanh() ** 2,
}
COSTS = ("tanh",)  # where costs are asked for, which only who has the values right is paid


def bend(draw, names):
    return BENDS[draw.choice(names)]


# --- critic_step


def critics(draw, layers, names=COSTS):
    """(arguments of critic_step, the weights)."""
    w, v, bent = weight(draw, 8, 8), weight(draw, 8, 1), bend(draw, names)

    def critic(points):
        for _ in range(layers):
            points = bent(points @ w)
        return points @ v

    return (mg.tensor(draw.array(draw.int(9, 20), 8)), critic), [w, v]


def stepped(f, arguments, leaves):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the ring: its bytes are told instead
        f(*arguments)
    return grads(leaves)


def about_penalty(got, want):
    if isinstance(got, Raised):
        if "Tensors does not require grad" in got.text:
            return (
                "`points` wants no gradient. At which tensor with the same values can one be taken?"
            )
        return of_tuple(got)
    if got["trains the score alone"]:
        return "The penalty has trained nothing: has the gradient that it is made of a history?"
    return (
        "Not the gradients of this loss. Does some backward send the score into the weights a "
        "second time?"
    )


@case("critic_step", "the gradients", points=2, hint=about_penalty)
def critic_gradients(f, draw):
    (points, critic), leaves = critics(draw, draw.int(1, 3), tuple(BENDS))
    found = stepped(f, (points, critic), leaves)
    for leaf in leaves:
        leaf.grad = mg.zeros(leaf.shape)
    critic(points).mean().backward()
    return {"gradients": found, "trains the score alone": not differs(found, grads(leaves))}


@case(
    "critic_step",
    "bytes left after the step",
    points=2,
    at_most="0",
    hint="More is alive than before the step, with the collector off. Does a `.grad` with a "
    "history lead back to its own leaf?",
)
def critic_left(f, draw):
    arguments, _ = critics(draw, draw.int(1, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = measure(f, *arguments)
    return found.at_end(found.left())


@case(
    "critic_step",
    "products beyond those of one score",
    at_most="0",
    hint="More products than one forward, one recorded backward and one plain one take. What is "
    "computed a second time?",
)
def critic_products(f, draw):
    layers = draw.int(2, 5)
    arguments, _ = critics(draw, layers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return max(0, measure(f, *arguments).matmuls - 6 * layers - 5)


# --- hessian_products


def bowl(draw, count, names=COSTS):
    """(loss, w, directions): the loss takes one product of matrices."""
    x, w = mg.tensor(draw.array(12, 6)), mg.tensor(draw.array(6, 6), requires_grad=True)
    w.grad, bent = mg.tensor(draw.array(6, 6)), bend(draw, names)
    return (lambda w: bent(x @ w).sum(), w, [mg.tensor(draw.array(6, 6)) for _ in range(count)])


def about_products(got, want):
    if isinstance(got, Raised):
        if "second time" in got.text:
            return "The graph of the gradient is walked once for each direction: it must stay."
        if "does not require grad" in got.text:
            return "The gradient has no history: it has to be recorded to be differentiated again."
        return of_tuple(got)
    if differs(got["w.grad"], want["w.grad"]):
        return "`w.grad` was written to: which function returns gradients, and writes none?"
    return (
        "One product for each direction: the gradient's own gradient, with the direction as its "
        "incoming gradient."
    )


@case("hessian_products", "the products", points=2, draws=2, hint=about_products)
def hessian_values(f, draw):
    loss, w, directions = bowl(draw, draw.int(2, 4), tuple(BENDS))
    found = [one.tolist() for one in f(loss, w, directions)]
    return {"products": found, "w.grad": w.grad.tolist()}


@case(
    "hessian_products",
    "bytes kept by the results",
    at_most="1 results",
    hint="More stays than the results: do they have a history, which keeps the graph?",
)
def hessian_kept(f, draw):
    loss, w, directions = bowl(draw, draw.int(2, 6))
    found = measure(f, loss, w, directions)
    return found.at_end(results=len(directions) * w.nbytes)


@case(
    "hessian_products",
    "bytes at the peak",
    at_most="8 U + 1 results",
    hint="More is alive at that line than one recorded gradient and the results need. Is all of "
    "the Hessian made, or something kept for each direction?",
)
def hessian_peak(f, draw):
    loss, w, directions = bowl(draw, draw.int(5, 9))
    found = measure(f, loss, w, directions)
    return found.at_peak(U=2 * w.nbytes, results=len(directions) * w.nbytes)


@case(
    "hessian_products",
    "products of matrices beyond 2 and 2 a direction",
    at_most="0",
    hint="More products than one recorded gradient, and one backward for each direction, take. "
    "What is the same for all directions?",
)
def hessian_matmuls(f, draw):
    count = draw.int(5, 9)
    return max(0, measure(f, *bowl(draw, count)).matmuls - 2 - 2 * count)


# --- fast_weights

ADAPTED = 3, 6  # steps


def tasks(draw, names=COSTS):
    """(inner loss, outer loss, w): 1 U is 24 x 4 numbers."""
    x, seen, unseen = (mg.tensor(draw.array(24, 4)) for _ in "abc")
    w, bent = weight(draw, 4, 4), bend(draw, names)

    def inner(w):
        return ((bent(x @ w) - seen) ** 2).mean()

    return inner, lambda w: ((bent(x @ w) - unseen) ** 2).sum(), w


def trained(f, draw, exact):
    """The outer gradient at `w`, and `w`, which is not to be changed.

    Of every number of steps that a cost may be asked of: no number is right in bytes alone.
    """
    inner, outer, w = tasks(draw, tuple(BENDS))
    for steps in range(ADAPTED[0], ADAPTED[1] + 1):
        outer(f(inner, w, 0.5, steps, exact)).backward()
    return {"gradient": w.grad.tolist(), "w": w.tolist()}


def adapting(sentence):
    def hint(got, want):
        if isinstance(got, Raised):
            return of_tuple(got)
        if differs(got["w"], want["w"]):
            return "`w` itself was changed: each step makes a new tensor."
        if not any(map(any, got["gradient"])):
            return "Nothing came back to `w`: the steps must lead from the result down to it."
        return sentence

    return hint


@case(
    "fast_weights",
    "exact: the gradient at w",
    points=2,
    hint=adapting("Not the exact gradient: it goes through each step's own gradient as well."),
)
def fast_exact(f, draw):
    return trained(f, draw, True)


@case(
    "fast_weights",
    "first order: the gradient at w",
    hint=adapting("In first order the gradient of each step is a constant, and only that."),
)
def fast_first(f, draw):
    return trained(f, draw, False)


@case(
    "fast_weights",
    "first order: bytes kept by the result",
    points=2,
    at_most="1 w",
    needs=("first order: the gradient at w",),
    hint="More is kept than the new weights. In first order a step's graph may go with the step: "
    "what still leads to it, or what was saved?",
)
def fast_kept(f, draw):
    inner, _, w = tasks(draw)
    found = measure(f, inner, w, 0.5, draw.int(*ADAPTED), False)
    return found.at_end(w=w.nbytes)


@case(
    "fast_weights",
    "exact: bytes kept by the result",
    at_most="5 steps + 4 w",
    needs=("exact: the gradient at w",),
    hint="More is kept than the steps' own graphs: is an inner loss kept, or one computed twice?",
)
def fast_graphs(f, draw):
    inner, _, w = tasks(draw)
    steps = draw.int(*ADAPTED)
    found = measure(f, inner, w, 0.5, steps, True)
    return found.at_end(steps=steps * 24 * 4 * 4, w=w.nbytes)
