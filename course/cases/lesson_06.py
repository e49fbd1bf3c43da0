"""Lesson 06: what the nodes of a graph saved, whose bytes these are, and who writes into them."""

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, measure
from course.trying.banned import ban
from course.trying.run import Found

from .several import about_first_wrong, answered

ban("saved_bytes", "minigrad.memory.saves", "`mg.memory.saved`")
ban("saved_bytes", "course.pictures", "`course.pictures`")

# --- scaled_layers


def layer(draw, rows=3):
    w = mg.tensor(draw.array(4, 4), requires_grad=True)
    return mg.tensor(draw.array(rows, 4)), w


@case(
    "scaled_layers",
    "the loss",
    given=True,
    hint="Do all four steps of every layer, each once. Only their order may change, and only where "
    "that changes no number.",
)
def scaled_loss(f, draw):
    x, w = layer(draw)
    return f(x, w, draw.int(2, 5)).item()


@any_form
def gradient_hint(got, want):
    if isinstance(got, str):
        return "`w` belongs to the caller, and its numbers are not what they were."
    if got is None:
        return None
    if isinstance(got, Raised) and got.kind == "RuntimeError" and "inplace" in got.text:
        return (
            "A saved tensor was written into. Two lines write in place; which of them writes into "
            "a result that its own node has saved?"
        )
    if isinstance(got, Raised):
        return None
    return "Backward passes, with another gradient: has a number changed behind a node's back?"


@case("scaled_layers", "the gradient", hint=gradient_hint, what="w.grad")
def scaled_gradient(f, draw):
    x, w = layer(draw)
    before = w.tolist()
    f(x, w, draw.int(2, 5)).backward()
    return w.grad if w.tolist() == before else "w was written into"


AGAIN = "products run twice"


def or_again(run, layers, found):
    """What was `found`, or that words are true of the run: its backward makes forward's products.

    Three for each layer and two for the first product are what a step needs.
    """
    backward = measure(run.value.backward).matmuls
    return Found(AGAIN) if run.matmuls + backward > 3 * layers + 2 else found


def about_layers(sentence):
    def hint(got, want):
        if got == AGAIN:
            return (
                "Few bytes, but backward runs the products of forward again. There is a mend that "
                "costs no bytes and no products."
            )
        return None if isinstance(got, Raised) else sentence

    return any_form(hint)


@case(
    "scaled_layers",
    "bytes that the graph holds",
    points=2,
    at_most="results + 0.5 U",  # right to 0.15 U, wrong twice the results
    hint=about_layers(
        "More is kept than one tensor a layer. Is the product's input another tensor than the "
        "tanh's result? Could the halving write into something that nobody has saved?"
    ),
)
def scaled_held(f, draw):
    (x, w), layers = layer(draw, draw.int(30, 60)), draw.int(6, 9)
    run = measure(f, x, w, layers)
    found = run.at_end(results=layers * x.nbytes, U=x.nbytes)
    return or_again(run, layers, found)


@case(
    "scaled_layers",
    "bytes at the peak",
    at_most="results + 1.5 U",  # right 1 to 1.15, wrong from 2
    hint=about_layers(
        "For a moment there is more than needed. Which line makes a new one where it "
        "could write into one that nobody has saved? Or which name still holds the last one?"
    ),
)
def scaled_peak(f, draw):
    (x, w), layers = layer(draw, draw.int(30, 60)), draw.int(6, 9)
    run = measure(f, x, w, layers)
    found = run.at_peak(results=layers * x.nbytes, U=x.nbytes)
    return or_again(run, layers, found)


# --- graph_bytes


def net(draw, kinds, count, frozen=0):
    """(layers, rows, width), so many of the layers frozen."""
    trains = draw.some([False] * frozen + [True] * (count - frozen), count)
    layers = [(draw.choice(kinds), one) for one in trains]
    return layers, draw.int(2, 99), draw.int(2, 99)


def net_text(layers, rows, width):
    return ", ".join(name + ("" if trains else " (frozen)") for name, trains in layers)


def units_off(sentence):
    def say(question, said, right):
        if not isinstance(said, int):
            return "return one whole number of bytes."
        return sentence

    return about_first_wrong(say)


def about_tanh(question, said, right):
    if not isinstance(said, int):
        return "return one whole number of bytes."
    if said < right:
        return "too few: each tanh keeps its result, that of the last layer, too."
    return (
        "too many: is a tensor counted that was there before the net ran? A tanh keeps its result, "
        "and so does the product after it. Is that twice?"
    )


@case("graph_bytes", "tanh in every layer", hint=about_first_wrong(about_tanh))
def bytes_tanh(f, draw):
    return answered(f, [net(draw, ["tanh"], draw.int(2, 9)) for _ in range(2)], net_text)


@case(
    "graph_bytes",
    "all activations",
    draws=2,
    hint=units_off(
        "a product keeps its input, whichever activation made it; `sin` keeps the product. After "
        "the last activation comes a sum."
    ),
)
def bytes_mixed(f, draw):
    some = ["tanh", "sin", "shift"]
    return answered(f, [net(draw, some, 6) for _ in range(2)], net_text)


@case(
    "graph_bytes",
    "some weights frozen",
    points=2,
    draws=6,
    hint=units_off(
        "nodes begin at the first weight that trains; a frozen product keeps no input; its "
        "activation still does its own keeping."
    ),
)
def bytes_frozen(f, draw):
    first = net(draw, ["tanh", "sin", "shift"], 3, 1)
    low = [(draw.choice(["tanh", "sin"]), False), *first[0], ("tanh", False)], *first[1:]
    return answered(f, [low, net(draw, ["tanh", "sin", "shift"], 6, 3)], net_text)


@case(
    "graph_bytes",
    "frozen from the bottom up",
    draws=6,
    hint=units_off(
        "nodes begin at the first weight that trains, and where no node is, nothing is kept."
    ),
)
def bytes_frozen_below(f, draw):
    def frozen(*names):
        return [(name, False) for name in draw.some(names, len(names))]

    layers, *sizes = net(draw, ["tanh", "sin", "shift"], 3, 1)
    nets = [frozen("tanh", "sin", "tanh") + layers, frozen("tanh", "sin", "sin")]
    return answered(f, [(one, *sizes) for one in nets], net_text)


@by_hand("graph_bytes", "work the bytes out from the list")
def bytes_by_hand(draw):
    return net(draw, ["tanh", "sin", "shift"], 5, 2)


# --- saved_bytes


def walking(got, want):
    if not isinstance(got, Raised):
        return None
    if got.kind == "RecursionError":
        return "A function that calls itself runs out of stack on a deep graph: keep a list."
    if got.kind == "AttributeError" and "NoneType" in got.text:
        return "The node in a pair of `next_functions` may be None, and so may a saved value."
    if got.kind == "RuntimeError" and "second time" in got.text:
        return "Reading what was freed raises a RuntimeError: catch it, and count nothing."
    return None


def counted(sentence):
    return lambda got, want: walking(got, want) if isinstance(got, Raised) else sentence


@case(
    "saved_bytes",
    "layers of tanh",
    hint=counted("The tanh's result and the next product's input are one storage. What tells?"),
)
def saved_layers(f, draw):
    x, w = layer(draw, draw.int(3, 999))
    for _ in range(draw.int(3, 9)):
        x = (x @ w).tanh()
    return f(x.sum())


@case(
    "saved_bytes",
    "views of one storage",
    points=2,
    draws=2,
    hint=counted(
        "Two halves of a batch begin at two addresses and lie in one storage, and this one stays "
        "alive in full. Count storages, not tensors."
    ),
)
def saved_views(f, draw):
    rows, width = draw.int(3, 99), draw.int(2, 99)
    both = mg.zeros(2 * rows, width)
    weight = mg.tensor(draw.array(rows, width), requires_grad=True)
    left, right = both[:rows], both[rows : rows + draw.int(1, rows)]
    return f((left * weight).sum() + (weight[: len(right)] * right).exp().sum())


@case(
    "saved_bytes",
    "when backward went part of the way",
    draws=3,
    hint=counted("What a node has let go counts 0; what the others kept still counts."),
)
def saved_partly(f, draw):
    x = mg.tensor(draw.array(draw.int(4, 40), 4), requires_grad=True)
    middle = x.exp().tanh()
    beside = mg.tensor(draw.array(draw.int(4, 40)), requires_grad=True)  # no way to `middle`
    loss = beside.exp().sum() + (middle * middle).tanh().sum()
    mg.autograd.grad(loss, [middle])
    return f(loss)


class Scaled(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(h, None, scale)
        return h * scale

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[2], None


@case(
    "saved_bytes",
    "an op of one's own",
    draws=3,
    hint=counted("Its node has no `_saved_` names: look at `saved_tensors`, and leave None out."),
)
def saved_own(f, draw):
    x = mg.tensor(draw.array(draw.int(4, 40), 4), requires_grad=True)
    y = Scaled.apply(x.exp(), mg.tensor(draw.array(4)))
    loss = Scaled.apply(y, mg.tensor(draw.array(1))).sum()
    freed = Scaled.apply(-x, mg.tensor(draw.array(4))).sum()
    freed.backward()
    return [f(loss), f(freed)]


def branching(got, want):
    if isinstance(got, dict) and got["bytes"] == want["bytes"]:
        return (
            "Two ways lead to each node, and your walk took every combination of them. Remember "
            "which nodes it has seen."
        )
    return counted("A tanh of a sum keeps its result, and the sum keeps nothing.")(got, want)


def doubled(draw):
    h = mg.tensor(draw.array(draw.int(5, 99)), requires_grad=True)
    for _ in range(10):
        h = h + h.tanh()
    return h


@case("saved_bytes", "two ways to every node", draws=2, hint=branching)
def saved_branching(f, draw):
    looks: list = []

    def looked(t):
        looks.append(1)
        return t

    with mg.autograd.graph.saved_tensors_hooks(lambda t: t, looked):
        watched = doubled(draw)
    found = f(doubled(draw))
    f(watched)
    return {"bytes": found, "each node once": len(looks) <= 100}  # not one for each of 1024 ways


@case("saved_bytes", "thousands of nodes", hint=counted("Each tanh keeps its result, and no more."))
def saved_deep(f, draw):
    y, v = (mg.tensor(draw.array(4), requires_grad=True) for _ in range(2))
    for _ in range(1000 + draw.int(0, 500)):
        y = (v - y).tanh()
    return f(y)


@case(
    "saved_bytes",
    "bytes made by counting",
    at_most="0",
    needs=("layers of tanh",),
    hint="A report should cost nothing: your function made new bytes. Look at the tensors, do not "
    "copy them.",
)
def saved_for_free(f, draw):
    x, w = layer(draw, draw.int(3, 99))
    return measure(f, (x @ w).tanh().exp().sum()).peak
