"""Lesson 10: what a checkpoint keeps, what it runs again, how little memory a step needs."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, by_hand, case, differs, measure


def weights(draw, *shape):
    return mg.tensor(draw.array(*shape), requires_grad=True)


def with_grads(*leaves):
    """The leaves, whose gradients are there beforehand and so in no difference."""
    for leaf in leaves:
        leaf.grad = mg.zeros(leaf.shape)
    return leaves


NOT_EMPTIED = (
    "More is alive than the result. It holds its node: does the node's `ctx` hold something that "
    "backward did not empty?"
)

# --- HonestCheckpoint


def block(h, w, v):
    return h + (h @ w).tanh() @ v


def deep(h, w, v):
    for _ in range(5):
        h = block(h, w, v)
    return h


def tensors(draw):
    h = weights(draw, draw.int(20, 60), 4)
    return h, *with_grads(weights(draw, 4, 3), weights(draw, 3, 4))


def running(got, want):
    if not isinstance(got, Raised):
        return None
    if "does not require grad" in got.text:
        return "Backward runs without recording: the second run needs `mg.enable_grad()`."
    if "number of gradients" in got.text:
        return "Backward returns one value for each argument of forward: `run`, then each tensor."
    if "second time" in got.text:
        return (
            "A graph is walked that was walked before. Record a new one in each backward, and let "
            "the second run begin at copies, cut off from the net below."
        )
    if "floating point" in got.text:
        return "Whole numbers cannot want a gradient: ask each tensor whether it wanted one."
    if "One of the" in got.text or "not require" in got.text:
        return "Ask for the gradients of those tensors only that want one."
    return None


def grads(leaves):
    return [None if t.grad is None else t.grad.tolist() for t in leaves]


def honest(sentence):
    return lambda got, want: running(got, want) if isinstance(got, Raised) else sentence


HONEST = ("the gradients of h, w and v",)  # they are right, and of a second run


def about_honest(got, want):
    if isinstance(got, dict) and not differs(got["gradients"], want["gradients"]):
        return "`run` runs once in forward, and once in backward. What does `ctx` hold?"
    return honest(
        "Return one gradient for each tensor, in their order. Is one too large? Then the inner "
        "backward wrote into it: let the second run begin at copies, cut off from the leaves."
    )(got, want)


@case("HonestCheckpoint", *HONEST, hint=about_honest)
def honest_gradients(f, draw):
    leaves, runs = tensors(draw), []

    def run(*given):
        runs.append(1)
        return block(*given)

    y = f.apply(run, *leaves)
    forward = len(runs)
    (y * 2).sum().backward()
    return {"gradients": grads(leaves), "runs": [forward, len(runs)]}


@case(
    "HonestCheckpoint",
    "raw data goes in",
    needs=HONEST,
    hint=honest("h wants no gradient here, w and v do: what does the second run begin with?"),
)
def honest_raw(f, draw):
    h, *leaves = tensors(draw)
    h = h.detach()
    f.apply(block, h, *leaves).sum().backward()
    return grads([h, *leaves])


@any_form
def about_leaves(got, want):
    if isinstance(got, list) and differs(got[1:], want[1:]):
        return "The inner backward reached the real leaves: let the second run begin at copies."
    return running(got, want)


@case(
    "HonestCheckpoint",
    "autograd.grad leaves every .grad alone",
    needs=HONEST,
    hint=about_leaves,
)
def honest_touches(f, draw):
    h, w, v = tensors(draw)
    (found,) = mg.autograd.grad(f.apply(block, h, w, v).sum(), [h])
    return [found.tolist(), *grads([h, w, v])]


@case(
    "HonestCheckpoint",
    "tied weights: h is made of w",
    needs=HONEST,
    hint=honest("The second run must begin at copies: h and w are then two leaves, each its own."),
)
def honest_tied(f, draw):
    w = weights(draw, 4, 4)
    f.apply(lambda h, w: (h @ w).tanh(), w * 3.0, w).sum().backward()
    return grads([w])


@case(
    "HonestCheckpoint",
    "labels among the tensors",
    needs=HONEST,
    hint=honest("The labels want no gradient, h and w do: what does the second run begin with?"),
)
def honest_labels(f, draw):
    h, w, _ = tensors(draw)
    labels = mg.tensor([draw.int(0, 2) for _ in range(h.shape[0])])
    f.apply(lambda h, w, t: mg.nn.functional.cross_entropy(h @ w, t), h, w, labels).backward()
    return grads([h, w])


@case(
    "HonestCheckpoint",
    "bytes held between forward and backward",
    cost=True,
    points=2,
    needs=("the gradients of h, w and v",),
    hint=beyond("Only the result may be new. What does `ctx` hold besides the arguments?"),
)
def honest_bytes(f, draw):
    leaves = tensors(draw)
    found = measure(lambda: f.apply(deep, *leaves))
    return found.at_end(found.kept)


@case(
    "HonestCheckpoint",
    "bytes alive after backward",
    needs=("the gradients of h, w and v",),
    hint=beyond(NOT_EMPTIED),
)
def honest_after(f, draw):
    h, w, v = with_grads(*tensors(draw))

    def step():
        y = f.apply(block, h * 2.0, w, v)
        y.sum().backward()
        return y

    found = measure(step)
    return found.at_end(found.kept)


@case(
    "HonestCheckpoint",
    "bytes at the peak of backward",
    at_most="12 U",  # right 10.3, wrong from 12.6
    needs=("the gradients of h, w and v",),
    hint="One recorded run and its gradients are all it takes. Which line makes more?",
)
def honest_peak(f, draw):
    leaves = with_grads(*tensors(draw))
    y = f.apply(deep, *leaves)
    return measure(y.backward, mg.ones(y.shape)).at_peak(U=y.nbytes)


# --- deepest_net


def questions(draw, saves=(1, 4), budget=(8, 20)):
    """(saves, budget), four times; in one of them two spacings are as good."""
    some = [(draw.int(*saves), draw.int(*budget)) for _ in range(3)]
    even = draw.int(*saves)
    return draw.some([*some, (even, even * draw.choice((3, 5)) + 3)], 4)


TWO = "Return two whole numbers, [depth, every]."


def deepest_hint(got, want):
    if isinstance(got, Raised):
        return None
    deep = [i for i, one in enumerate(got) if one[0] != want[i][0]]
    wrong = deep[0] if deep else next(i for i, one in enumerate(got) if one != want[i])
    (depth, every), (right, spacing) = got[wrong], want[wrong]
    if depth > right:
        return (
            "This net goes over the budget. At the end of forward is not the highest point: "
            "count y, the seed and the gradient that the last tanh makes."
        )
    if depth < right and every != spacing:
        return "A deeper net fits, with another spacing: a block in a tooth weighs `saves` U."
    if depth < right:
        return "There is room for one more segment: is something counted twice, such as x?"
    return "The depth is right; of several spacings that reach it, return the smallest."


@case("deepest_net", "four budgets", points=2, draws=2, hint=deepest_hint, returns=TWO)
def deepest(f, draw):
    return [list(f(*question)) for question in questions(draw)]


@case("deepest_net", "blocks that save much", points=2, hint=deepest_hint, returns=TWO)
def deepest_heavy(f, draw):
    return [list(f(*question)) for question in questions(draw, (5, 9), (14, 30))]


@by_hand("deepest_net", "count U")
def deepest_by_hand(draw):
    return draw.choice(questions(draw))


# --- checkpoint_runs


KEYS = 'Return a dict with the keys "tanh" and "shift".'


def runs_hint(got, want):
    if isinstance(got, Raised):
        return None
    if got["tanh"] < want["tanh"]:
        return "Some tanh run more often: does a second backward find what the first computed?"
    if got["tanh"] > want["tanh"]:
        return "Fewer tanh run: each backward runs a segment once, not each layer that is in it."
    if got["shift"] > want["shift"]:
        return "A second run ends early: which step of the segment saves something last?"
    return "A shift that stands before a tanh is needed to compute it again."


def segments(draw, count=4):
    return [[draw.choice(("tanh", "shift")) for _ in range(draw.int(2, 7))] for _ in range(count)]


@case("checkpoint_runs", "segments that end in tanh", draws=3, hint=runs_hint, returns=KEYS)
def runs_tanh(f, draw):
    return dict(f([[*steps, "tanh"] for steps in segments(draw, 6)], 1))


@case(
    "checkpoint_runs",
    "segments that end in shifts",
    points=2,
    draws=2,
    hint=runs_hint,
    returns=KEYS,
)
def runs_shift(f, draw):
    return dict(f([*segments(draw), ["tanh", "shift", "shift"], ["shift"] * draw.int(2, 9)], 1))


@case("checkpoint_runs", "several backwards", points=2, hint=runs_hint, returns=KEYS)
def runs_retained(f, draw):
    return dict(f(segments(draw, 6), draw.int(2, 5)))


@case("checkpoint_runs", "never a backward", draws=3, hint=runs_hint, returns=KEYS)
def runs_never(f, draw):
    return dict(f(segments(draw, 6), 0))
