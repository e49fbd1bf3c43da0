"""Lesson 04: what a graph holds, and what is left when backward is over."""

import minigrad as mg
from course.trying import Raised, by_hand, case, measure
from course.trying.banned import ban

from .several import along

ban("graph_report", "course.pictures", "`course.pictures`")

STEPS = "tanh", "exp", "double", "square"


# --- held_by_chain


def chain(draw, steps, count=6):
    return draw.some(steps, len(steps)) + [draw.choice(steps) for _ in range(count)]


def sizes(draw):
    return draw.int(2, 999), draw.int(2, 999)


def about_backward(got, want):
    if isinstance(got, list) and len(got) == 2 and got[0] == want[0]:
        if got[1] == 0:
            return "Backward drops the arrows of the graph. Which arrow is not the graph's?"
        return "After backward no node points at what it saved. Who still points at what?"
    return None


def keeping(sentence):
    def hint(got, want):
        return None if isinstance(got, Raised) else about_backward(got, want) or sentence

    return hint


@case(
    "held_by_chain",
    "tanh and exp only",
    hint=keeping(
        "Both of these save their result, each its own. The last result has two holders, its node "
        "and the name `y`, and is there once."
    ),
)
def held_results(f, draw):
    return list(f(chain(draw, STEPS[:2]), *sizes(draw)))


@case(
    "held_by_chain",
    "with doubling",
    hint=keeping("`y * 2` needs nothing of y for its gradient. Whom does it leave pointing at y?"),
)
def held_doubles(f, draw):
    return list(f([*chain(draw, STEPS[:3]), "double"], *sizes(draw)))


@case(
    "held_by_chain",
    "with squares",
    points=2,
    draws=6,
    hint=keeping(
        "A square saves its input, and both factors are one storage; a tanh before it saves the "
        "same storage as its result. Count storages, not saves."
    ),
)
def held_squares(f, draw):
    return list(f(chain(draw, STEPS, 9), *sizes(draw)))


@by_hand("held_by_chain", "work the bytes out from the sizes")
def held_by_hand(draw):
    return (
        chain(draw, STEPS),
        *sizes(draw),
    )


# --- forgetful_step


def layer(draw):
    x = mg.tensor(draw.array(draw.int(3, 40), 4))
    return x, mg.tensor(draw.array(4, draw.int(2, 9)), requires_grad=True)


@case(
    "forgetful_step",
    "the gradient",
    given=True,
    what="w.grad",
    hint="Keep the forward pass and the backward as they are.",
    returns="Keep the forward pass and the backward as they are.",
)
def forgetful_gradient(f, draw):
    x, w = layer(draw)
    f(x, w, [])
    return None if w.grad is None else w.grad.tolist()


@case(
    "forgetful_step",
    "what is logged",
    exact=True,
    hint="A tensor in the log keeps its bytes, and its graph if it has one. Append the number in "
    "it, a Python float.",
    shared=True,
)
def forgetful_log(f, draw):
    x, w = layer(draw)
    log: list = []
    f(x, w, log)
    return log


@case(
    "forgetful_step",
    "bytes left after three steps",
    cost=True,
    points=2,
    needs=("the gradient",),
    hint="Something outlives the call and points at your tensors. What did you put where?",
    shared=True,
)
def forgetful_bytes(f, draw):
    x, w = layer(draw)
    log: list = []

    def steps():
        for _ in range(3):
            f(x, w, log)
        w.grad = None  # a gradient may stay, whether it was added up or made anew

    run = measure(steps)
    return run.at_end(run.left())


@case(
    "forgetful_step",
    "bytes at the peak of a step",
    given=True,
    at_most="5.5 U + w",  # right 3, wrong from 6
    needs=("the gradient",),
    hint="More is alive at once than the two results and one gradient need. Which line makes it?",
)
def forgetful_peak(f, draw):
    x, w = layer(draw)
    w.grad = mg.zeros(w.shape)
    return measure(f, x, w, []).at_peak(U=4 * len(x) * w.shape[1], w=w.nbytes)


# --- graph_report


KEYS = 'Return a dict with the three keys "kept", "freed" and "nothing".'


def counting(got, want):
    if isinstance(got, Raised) and got.kind == "RecursionError":
        return (
            "A function that calls itself runs out of stack on a deep graph: keep a list instead."
        )
    if isinstance(got, Raised) and got.kind == "AttributeError" and "NoneType" in got.text:
        return "The node in a pair of `next_functions` may be None: leave it out."
    if isinstance(got, Raised):
        return None
    if sum(got.values()) > sum(want.values()):
        return (
            "More nodes than there are: was one that can be reached on two ways counted twice? "
            "Then remember what you have seen."
        )
    if sum(got.values()) < sum(want.values()):
        return "Nodes are missing: follow every pair of `next_functions`, down to AccumulateGrad."
    if got["nothing"] < want["nothing"]:
        return "A node without a saved tensor has nothing to free, before backward or after it."
    return "Ask the node: reading `_saved_...` raises when the tensor is freed."


def network(draw):
    """A loss with branches that meet again, through one leaf or two."""
    w = mg.tensor(draw.array(3, 3), requires_grad=True)
    y = mg.tensor(draw.array(5, 3)) @ w
    for step in chain(draw, ("tanh", "add", "times", "relu", "both"), 7):
        y = {
            "tanh": y.tanh,
            "add": lambda y=y: y + 1,
            "times": lambda y=y: y * w.sum(),
            "relu": y.relu,
            "both": lambda y=y: y + y.exp(),
        }[step]()
    return y.sum()


@case("graph_report", "a graph that nobody has walked", draws=3, hint=counting, returns=KEYS)
def report_fresh(f, draw):
    return f(network(draw))


@case("graph_report", "after backward", draws=3, hint=counting, returns=KEYS)
def report_after(f, draw):
    loss = network(draw)
    loss.backward()
    return f(loss)


@case("graph_report", "after backward(retain_graph=True)", draws=3, hint=counting, returns=KEYS)
def report_retained(f, draw):
    loss = network(draw)
    loss.backward(retain_graph=True)
    return f(loss)


def longer(draw, y):
    """`y` after some drawn steps, of which some save."""
    for step in [draw.choice(("exp", "tanh", "add")) for _ in range(draw.int(1, 6))]:
        y = y + 1 if step == "add" else getattr(y, step)()
    return y


@case(
    "graph_report",
    "when backward went only part of the way",
    points=2,
    draws=3,
    hint=counting,
    returns=KEYS,
)
def report_partly(f, draw):
    x = mg.tensor(draw.array(4, 4) / 8, requires_grad=True)
    middle = longer(draw, x.exp().tanh())
    beside = longer(draw, mg.tensor(draw.array(4, 4) / 8, requires_grad=True).exp())
    parts = draw.some([beside.sum(), longer(draw, middle * middle).tanh().sum()], 2)
    loss = parts[0] + parts[1]
    mg.autograd.grad(loss, [middle])
    return f(loss)


@case("graph_report", "thousands of nodes", hint=counting, returns=KEYS)
def report_deep(f, draw):
    y, v = (mg.tensor(draw.array(4), requires_grad=True) for _ in range(2))
    for _ in range(1000 + draw.int(0, 500)):
        y = (v - y).tanh()
    return f(y)


# --- alive_line_by_line


def shapes(draw):
    """Sizes so small that six numbers of bytes fit into a line of the table."""
    return draw.int(2, 1001), draw.int(2, 1001)


LINES = (
    "`b = a.exp()`: how many elements, of 4 bytes each?",
    "`c = b + 1`: its node saves nothing, yet a name points at the result.",
    "`d = c * b`: one more result; what its node saves was there before.",
    "`del b, c`: two arrows go. Do others point at the same storages?",
    "`e = d.sum()`: a result with one element has 4 bytes.",
    "`e.backward()`: the nodes drop what they saved. Which storages still have a name?",
)
about_lines = along(LINES)
SIX = "Return a list of six numbers, one for each line after the first."


@case("alive_line_by_line", "bytes after lines 1 to 6", points=3, hint=about_lines, returns=SIX)
def alive(f, draw):
    return f(*shapes(draw))


@by_hand("alive_line_by_line", "work the bytes out from the sizes")
def alive_by_hand(draw):
    return shapes(draw)
