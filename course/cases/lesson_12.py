"""Lesson 12: a cheap gradient that is still right, and a test that finds the cheap wrong ones."""

import minigrad as mg
from course.grade import beside, by_hand, case, measure, plain
from course.wrong import verdict, wrongness

from . import planted
from .digest import digest

# --- steady

DEPTH = 24


def deep(draw):
    make = planted.maker(draw, DEPTH, mg.nn.ReLU, 1.0)
    return make(), mg.tensor(draw.array(8, 8))


def step(way, blocks, data):
    """The gradients of one training step, the input's first."""
    weights = [w for pair in blocks for half in pair for w in half.parameters()]
    for w in weights:
        w.grad = mg.zeros_like(w)
    x = data.clone().requires_grad_()
    (way(x, blocks) * 0.5).sum().backward()
    return [x.grad, *[w.grad for w in weights]]


@case(
    "steady",
    "the gradient, against the stored twin's",
    points=2,
    hint="Still drift. In which dtype is `y1 + F(y2)` computed, and in which is F(y2) taken off?",
)
def steady_gradient(f, draw):
    blocks, data = deep(draw)
    got = step(f, blocks, data)
    right = step(planted.stored, blocks, data)
    return verdict(wrongness([g.to(mg.float32) for g in got], right))


def about_dtypes(got, want):
    if isinstance(got, dict) and got.get("F and G see") != want["F and G see"]:
        return "F and G work in float32: narrow their input at the door, and call each of them."
    return "Who calls this chain knows nothing of its streams: give back what came in, float32."


def seeing(seen, half):
    """The half itself, which notes from now on what it is given."""
    run = half.forward
    half.forward = lambda u: seen.add(str(u.dtype).rpartition(".")[2]) or run(u)
    return half


@case("steady", "dtypes", hint=about_dtypes)
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
    hint="F and G run once in forward and once in backward, each. Who calls them more often?",
)
def steady_products(f, draw):
    return beside(measure(step, f, *deep(draw)).matmuls, halves=2 * DEPTH)


@case(
    "steady",
    "bytes at the peak of a step",
    at_most="20 U + 2 weights",  # right 12.5, 16.4 with both, wrong from 60 and 1
    hint="The price is a constant: output, streams and their gradients twice as wide. What else is "
    "alive at the peak?",
)
def steady_peak(f, draw):
    (blocks, _), data = deep(draw), mg.tensor(draw.array(32, 8))
    weights = sum(w.nbytes for pair in blocks for half in pair for w in half.parameters())
    return measure(step, f, blocks, data).at_peak(U=data.nbytes, weights=weights)


# --- diary


def calls(draw, ways, count):
    hows = draw.some(ways, len(ways)) + [draw.choice(ways) for _ in range(count)]
    return [(how, draw.int(-400, 400) / 16) for how in hows]


def momentum(draw):
    return draw.int(10, 90) / 100


def about_diary(got, want):
    if not isinstance(got, list) or len(got) != 2:
        return "Return a list of two numbers: the count and the running mean."
    if got[0] < want[0]:
        return "Too few batches. A call under `no_grad` records no graph. Does it write the diary?"
    if got[0] > want[0]:
        return "Too many batches: in one of the three ways BatchNorm only reads its diary."
    return (
        "The count is right. The running mean takes `momentum` of the new, the rest of itself; "
        "and `no_grad`: does it write the mean, too?"
    )


@case("diary", "recorded or not", hint=about_diary)
def diary_modes(f, draw):
    return list(f(calls(draw, ["recorded", "no_grad"], 5), momentum(draw)))


@case("diary", "and in eval mode", points=2, hint=about_diary)
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
    if isinstance(got, dict) and plain.same(got["back"], got["forward"]):
        return "The second calls repeat the first. But a first call throws what comes next."
    return "Each function has a state of its own: the one from before *its* first call."


def about_steps(got, want):
    if isinstance(got, dict) and len(set(got["forward"])) < len(got["forward"]):
        return "A later step throws dice that were thrown before. What does the second call forget?"
    if isinstance(got, dict) and plain.same(got["again"], got["forward"]):
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
    hint="A tensor outlives the first call. The state of the generator is enough.",
)
def dice_bytes(f, draw):
    half, u = thrower(draw)
    same = f(half)
    return measure(lambda: same(u) is None).kept


@case(
    "same_dice",
    "calls of half in one step, and its weight's gradient",
    hint="The second call has to run `half` again: backward goes through what it records. Which "
    "of your calls runs `half`, and which gives a tensor without a graph?",
)
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


# --- is_trustworthy


def tried(f, draw, make, ways):
    """The names of those ways that the learner's test trusts."""
    x = mg.tensor(draw.array(8, 8))
    said = {name: f(ways[name], make, x) for name in draw.some(list(ways), len(ways))}
    if not all(isinstance(one, bool) for one in said.values()):
        return "neither True nor False"
    return sorted(name for name, one in said.items() if one)


RIGHT_ONES = {
    "the chain of section 1": "a gradient in float32 may differ in its last digits: allow 1e-4.",
    "streams in float64": "a gradient in float32 may differ in its last digits: allow 1e-4.",
    "dice put back": "do both runs begin with the same dice?",
    "diary put back": "did both runs begin with new blocks?",
}
SLIPS = {
    "a path forgotten": "compare all gradients, that of `x` and those of the weights.",
    "not undone": "compare all gradients, that of `x` and those of the weights.",
    "only that of x": "compare all gradients, that of `x` and those of the weights.",
    "only those of the weights": "compare all gradients, that of `x` and those of the weights.",
    "drift": "compare the gradients, and take `wrongness` below 1e-4.",
    "other dice": "compare the gradients, with the same dice at the start of both runs.",
    "generator left behind": "its gradients are right. What will the *next* step throw?",
    "written twice": "its gradients are right. Look at the statistics, too.",
    "only the count put back": "its count is right. Look at the other entries of `state_dict()`.",
    "run again in eval": "its statistics are right. Compare the gradients as well.",
    "weights moved": "its gradients are right. Are the weights still what they were?",
}


def about_test(got, want):
    if not isinstance(got, list):
        return "Return True or False." if isinstance(got, str) else None
    for name, where in SLIPS.items():
        if name in got:
            return f"'{name}' gets by: {where}"
    refused = next(name for name in want if name not in got)
    return f"'{refused}' is right, and your test refuses it: {RIGHT_ONES[refused]}"


@case("is_trustworthy", "trusted: formulas", hint=about_test)
def trust_formulas(f, draw):
    ways = {
        "the chain of section 1": planted.chain(),
        "a path forgotten": planted.chain(planted.forgets_a_path),
        "not undone": planted.chain(planted.not_undone),
        "only that of x": planted.chain(planted.forgets_weights),
        "only those of the weights": planted.half_slope,
    }
    return tried(f, draw, planted.maker(draw, 3, mg.nn.ReLU, 0.4), ways)


@case("is_trustworthy", "trusted: drift", hint=about_test)
def trust_drift(f, draw):
    ways = {"drift": planted.chain(), "streams in float64": planted.wide}
    return tried(f, draw, planted.maker(draw, 20, mg.nn.ReLU, 1.1), ways)


@case("is_trustworthy", "trusted: dice", points=2, hint=about_test)
def trust_dice(f, draw):
    ways = {
        "other dice": planted.chain(),
        "generator left behind": planted.with_dice(back=False),
        "dice put back": planted.with_dice(back=True),
    }
    return tried(f, draw, planted.maker(draw, 2, planted.dropout, 0.4), ways)


@case("is_trustworthy", "trusted: diaries", points=2, hint=about_test)
def trust_diaries(f, draw):
    ways = {
        "written twice": planted.chain(),
        "run again in eval": planted.chain(planted.in_eval),
        "only the count put back": planted.chain(planted.count_erased),
        "diary put back": planted.chain(planted.erased),
    }
    return tried(f, draw, planted.maker(draw, 2, planted.norm, 0.4), ways)


@case("is_trustworthy", "trusted: weights", hint=about_test)
def trust_weights(f, draw):
    ways = {
        "the chain of section 1": planted.chain(),
        "weights moved": planted.chain(planted.moves_weights),
    }
    return tried(f, draw, planted.maker(draw, 2, mg.nn.ReLU, 0.4), ways)
