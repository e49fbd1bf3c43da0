"""Lesson 12: a cheap gradient that is still right, and a test that finds the cheap wrong ones."""

import minigrad as mg
from course.pictures import verdict, wrongness
from course.trying import Raised, any_form, beside, by_hand, case, differs, measure, settled
from course.trying.banned import ban
from minigrad.core.observer import Observer

from . import planted
from .digest import digest

ban("same_dice", "minigrad.utils.rng", "`mg.utils.rng`")

# --- steady

DEPTH, DEEPEST = 24, 96
TWIN = "the gradient, against the stored twin's"


def deep(draw):
    make, data = drifting(draw)
    return make(), data


def drifting(draw, depth=DEPTH):
    """(make, batch) of a chain so deep that it drifts, and so calm that the twin is exact."""
    return planted.task(draw, depth, mg.nn.ReLU, 0.8)


def step(way, blocks, data):
    """The gradients of one training step, the input's first."""
    weights = [w for pair in blocks for half in pair for w in half.parameters()]
    for w in weights:
        w.grad = mg.zeros_like(w)
    x = data.clone().requires_grad_()
    (way(x, blocks) * 0.5).sum().backward()
    return [x.grad, *[w.grad for w in weights]]


DRIFT = (
    "Not the twin's gradient. If it drifts: in which dtype is `y1 + F(y2)` computed, "
    "and in which is F(y2) taken off?"
)
CHANGED, LAST, ONCE = "blocks changed", "only the last pair ran", "each half ran once"
STORED = "not from the last half back to the first"
UNHEARD = "not each half, recorded"
STEADY = {
    STORED: "In backward a checkpoint runs F and G in the order of forward, from an input that it "
    "has kept. A reversible chain undoes the last half first, and keeps none.",
    UNHEARD: "In backward each F and G runs once more, recorded, the last one first: `f(u)` and "
    "`g(u)` themselves, with their own weights.",
    ONCE: "Each F and G ran once, so all was stored. What else is alive at the peak?",
    CHANGED: "The blocks belong to the caller, and they are not as they were: their order, or a "
    "weight of F or G. Convert what goes in and what comes out, not the half.",
    LAST: "Only the F and G of the last pair were called: a function made in a loop sees the "
    "loop's last value.",
}


@any_form
def about_steady(got, want):
    if isinstance(got, str):
        return STEADY.get(got)
    return DRIFT if isinstance(got, dict) else None


@case("steady", TWIN, points=2, hint=about_steady, shared=True)
def steady_gradient(f, draw):
    make, data = drifting(draw)
    blocks = make()
    pairs, before = list(blocks), weights_of(blocks)
    halves = [half for pair in pairs for half in pair]
    with Recorded(halves) as recorded:
        got = step(f, blocks, data)
    ran = recorded.ran
    if blocks != pairs or weights_of(pairs) != before:
        return CHANGED
    if ran and {*ran} <= {*pairs[-1]}:
        return LAST
    if ran == halves:
        return ONCE
    if ran[-2 * DEPTH :] != halves[::-1]:
        return STORED if {*ran} == {*halves} else UNHEARD
    with settled.usual():
        twins = step(planted.stored, make(), data)
    drift = verdict(wrongness([g.to(mg.float32) for g in got], twins))
    return {"beside the twin's": drift, "the gradient of x": digest(got[0])}


class Recorded(Observer):
    """Which halves ran, as the graph tells: by their weights, however they were called."""

    def __init__(self, halves):
        self.ran: list = []
        self._halves = {id(half.a): half for half in halves}

    def recorded(self, node, out, inputs):
        for one in inputs:
            half = self._halves.get(id(one))
            if half is not None and self.ran[-1:] != [half]:
                self.ran.append(half)


def weights_of(blocks):
    halves = [half for pair in blocks for half in pair]
    return [(str(w.dtype), digest(w)) for half in halves for w in half.parameters()]


def watched(half, note):
    """The half itself, which tells `note` from now on what it is given."""
    run = half.forward
    half.forward = lambda u: note(u) or run(u)
    return half


def about_dtypes(got, want):
    if isinstance(got, Raised):
        return None
    if got["F and G see"] != want["F and G see"]:
        return "F and G work in float32: narrow their input at the door, and call each of them."
    return "Who calls this chain knows nothing of its streams: give back what came in, float32."


def seeing(seen, half):
    return watched(half, lambda u: seen.add(str(u.dtype).rpartition(".")[2]))


@case("steady", "dtypes", invariant=True, hint=about_dtypes)
def steady_dtypes(f, draw):
    blocks, data = deep(draw)
    seen: set = set()
    x = data.requires_grad_()
    y = f(x, [(seeing(seen, one), seeing(seen, two)) for one, two in blocks])
    y.sum().backward()
    return {"F and G see": sorted(seen), "comes back": [str(y.dtype), str(x.grad.dtype)]}


@case(
    "steady",
    "products of a step",
    at_most="8 halves",  # two forward, two again, four backward
    needs=(TWIN,),
    hint="F and G run once in forward and once in backward, each. Who calls them more often?",
)
def steady_products(f, draw):
    return beside(measure(step, f, *deep(draw)).matmuls, halves=2 * DEPTH)


@case(
    "steady",
    "bytes at the peak of a step",
    at_most="20 U + 2 weights",  # right 12.5, 16.4 with both, wrong from 60 and 1
    needs=(TWIN,),
    hint="The price is a constant: output, streams and their gradients twice as wide. What else is "
    "alive at the peak?",
)
def steady_peak(f, draw):
    (make, _), data = drifting(draw, DEEPEST), mg.tensor(draw.array(256, 8))
    blocks = make()
    weights = sum(w.nbytes for pair in blocks for half in pair for w in half.parameters())
    return measure(step, f, blocks, data).at_peak(U=data.nbytes, weights=weights)


# --- diary


def calls(draw, ways, count):
    hows = draw.some(ways, len(ways)) + [draw.choice(ways) for _ in range(count)]
    return [(how, draw.int(-400, 400) / 16) for how in hows]


def momentum(draw):
    return draw.int(10, 90) / 100


TWO = "Return a list of two numbers: the count and the running mean."


def about_diary(got, want):
    if isinstance(got, Raised):
        return None
    if not differs(got[::-1], want):
        return "Both numbers are right, in the wrong order: the count comes first."
    if got[0] < want[0]:
        return (
            "The first number, the count, is too low. A call under `no_grad` records no graph. "
            "Does it write the diary?"
        )
    if got[0] > want[0]:
        return (
            "The first number, the count, is too high: in one of the three ways BatchNorm only "
            "reads its diary."
        )
    return (
        "The count is right. The running mean takes `momentum` of the new, the rest of itself; "
        "and `no_grad`: does it write the mean, too?"
    )


@case("diary", "recorded or not", hint=about_diary, returns=TWO)
def diary_modes(f, draw):
    return list(f(calls(draw, ["recorded", "no_grad"], 5), momentum(draw)))


@case("diary", "and in eval mode", points=2, draws=2, hint=about_diary, returns=TWO)
def diary_eval(f, draw):
    return list(f(calls(draw, ["recorded", "no_grad", "eval"], 6), momentum(draw)))


@by_hand("diary", "work the numbers out from the means")
def diary_by_hand(draw):
    return (
        calls(draw, ["recorded", "no_grad", "eval"], 3),
        momentum(draw),
    )


# --- same_dice


def thrower(draw):
    """A half with dropout, a batch for it, and dice that nobody has thrown yet."""
    mg.manual_seed(draw.int(0, 10**6))
    return mg.nn.Dropout(0.5), mg.tensor(draw.array(6, 5))


def again(half, u):
    with mg.enable_grad():
        return half(u.detach().requires_grad_()).detach()


def about_order(got, want):
    if isinstance(got, Raised):
        return None
    if not differs(got["back"], got["forward"]):
        return "The second calls repeat the first. But a first call throws what comes next."
    return "Each function has a state of its own: the one from before *its* first call."


def about_steps(got, want):
    if isinstance(got, Raised):
        return None
    forward = got["forward"]
    if any(not differs(one, later) for i, one in enumerate(forward) for later in forward[i + 1 :]):
        return "A later step throws dice that were thrown before. What does the second call forget?"
    if not differs(got["again"], forward):
        return "Within a step all is well. Where do you leave the generator for the next one?"
    return "In some step the second call had other dice than the first."


@case(
    "same_dice",
    "F, then G; and back: G, then F",
    hint=about_order,
)
def dice_order(f, draw):
    half, u = thrower(draw)
    first, second = f(half), f(half)
    with mg.no_grad():
        forward = [first(u), second(u)]
    back = [again(second, u), again(first, u)]
    return {
        "forward": list(map(digest, forward)),
        "back": list(map(digest, reversed(back))),
    }


@case("same_dice", "three training steps", points=2, hint=about_steps)
def dice_steps(f, draw):
    half, u = thrower(draw)
    same = f(half)
    found: dict = {"forward": [], "again": []}
    for _ in range(3):
        found["forward"].append(digest(same(u)))
        mg.rand(3)  # somebody else rolls
        found["again"].append(digest(again(same, u)))
    return found


@case(
    "same_dice",
    "the dice that are thrown next",
    needs=("three training steps",),
    hint="Note the state before the second call, and put it back after it.",
)
def dice_after(f, draw):
    half, u = thrower(draw)
    same = f(half)
    same(u)
    mg.rand(draw.int(1, 50))
    again(same, u)
    return digest(mg.rand(8))


@case(
    "same_dice",
    "bytes kept between the calls",
    cost=True,
    needs=("F, then G; and back: G, then F",),
    hint="A tensor outlives the first call. The state of the generator is enough.",
)
def dice_bytes(f, draw):
    half, u = thrower(draw)
    same = f(half)
    found = measure(lambda: digest(same(u)))  # what it gave is compared, and holds no bytes
    return found.at_end(found.kept)


@any_form
def about_graph(got, want):
    if isinstance(got, Raised):
        return None
    return (
        "The second call has to run `half` again: backward goes through what it records. Which "
        "of your calls runs `half`, and which gives a tensor without a graph?"
    )


@case("same_dice", "calls of half in one step, and its weight's gradient", hint=about_graph)
def dice_graph(f, draw):
    half, u = thrower(draw)
    w, seen = mg.ones(5, requires_grad=True), []

    def noted(u):
        seen.append(1)
        return half(u * w)

    same = f(noted)
    with mg.no_grad():
        same(u)
    v = same(u.detach().requires_grad_())
    if v.requires_grad:
        v.sum().backward()
    return [len(seen), None if w.grad is None else digest(w.grad)]
