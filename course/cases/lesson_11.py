"""Lesson 11: couplings are undone, blocks hold what they save, and chains stay flat."""

import math

import minigrad as mg
from course.trying import Raised, any_form, beside, by_hand, case, differs, error_of, measure

from .digest import digest


def tensor(draw, *shape):
    return mg.tensor(draw.array(*shape))


# --- undo_steps

FNS = (lambda u: u.relu(), lambda u: u.tanh(), lambda u: u * 0.0 + 0.5)
FACTORS = (lambda u: u.exp(), lambda u: u.tanh() + 2.0)
FORWARD = {"+": lambda s, v: s + v, "-": lambda s, v: s - v, "*": lambda s, v: s * v}


def coupling(draw, hows, count, streams):
    """Drawn steps on all streams but the last, which is only ever read."""
    steps = []
    for _ in range(count):
        target = draw.int(0, streams - 2)
        source = draw.choice([i for i in range(streams) if i != target])
        how = draw.choice(hows)
        steps.append((target, how, draw.choice(FACTORS if how == "*" else FNS), source))
    return steps


def after(steps, streams):
    streams = list(streams)
    for target, how, fn, source in steps:
        streams[target] = FORWARD[how](streams[target], fn(streams[source]))
    return streams


def three(draw):
    return [tensor(draw, 4, 3) for _ in range(3)]


@case(
    "undo_steps",
    "a block of lesson 11",
    hint="`y1` is known, so G(y1) can be taken from `y2`. Only then is `x2` known, and so F(x2).",
)
def undo_block(f, draw):
    streams = [tensor(draw, 4, 3) for _ in range(2)]
    steps = [(0, "+", FNS[1], 1), (1, "+", FNS[0], 0)]
    return f(steps, after(steps, streams))


@case(
    "undo_steps",
    "drawn steps on three streams",
    points=2,
    draws=2,
    hint="Take back the last step first, each by the opposite of its `how`, and let `fn` see the "
    "streams as they are by then.",
)
def undo_drawn(f, draw):
    steps = coupling(draw, ["+", "-", "*"], 7, 3)
    return f(steps, after(steps, three(draw)))


@any_form
def about_calls(got, want):
    if not isinstance(got, dict):
        return None
    if len(got["calls"]) > len(want["calls"]):
        return "One call for each step is enough: keep what it gave."
    if got["calls"] != want["calls"]:
        return "Call the `fn` of each step, the last step first."
    return "The calls are right, the streams are not."


UNDONE = "a block of lesson 11", "drawn steps on three streams"


@case("undo_steps", "calls of each fn", needs=UNDONE, hint=about_calls)
def undo_calls(f, draw):
    seen: list = []

    def halving(i):
        def fn(u):
            seen.append(i)
            return u * 0.5

        return fn

    steps = [(i % 2, "+", halving(i), 2) for i in range(draw.int(4, 9))]
    streams = after(steps, three(draw))
    seen.clear()
    found = f(steps, streams)
    return {"calls": seen, "streams": [digest(t) for t in found]}


def about_list(got, want):
    if isinstance(got, Raised):
        return None
    if got["list"] != want["list"]:
        return "You wrote into the list that you were given: work on a list of your own."
    if got["tensors"] != want["tensors"]:
        return "You wrote into the tensors that you were given: they stay as they are."
    if got["bytes kept"] > want["bytes kept"]:
        return "A stream that no step has changed needs no new bytes: hand on the tensor itself."
    return None


@case("undo_steps", "bytes kept, and what was given", invariant=True, hint=about_list, shared=True)
def undo_bytes(f, draw):
    steps = coupling(draw, ["+", "-"], 6, 3)
    given = after(steps, three(draw))
    before, numbers = list(given), [digest(t) for t in given]
    kept = measure(f, steps, given).kept
    same = len(given) == len(before) and all(a is b for a, b in zip(given, before, strict=True))
    written = numbers != [digest(t) for t in before]
    return {
        "bytes kept": kept,
        "list": "as it was" if same else "written into",
        "tensors": "written into" if written else "as they were",
    }


# --- held_by_blocks


def about_blocks(got, want):
    if isinstance(got, Raised):
        return None
    if not math.isfinite(got):
        return "That is no number of bytes."
    if got < want:
        return (
            "Something is missing. A view holds all the bytes that it looks at, and the last "
            "output has a name."
        )
    return (
        "Too much. An output that two blocks save is one storage; one that nobody saves is gone; "
        "and `y1` has half the columns."
    )


def blocks(draw, words, count):
    return draw.some(words, len(words)) + [draw.choice(words) for _ in range(count)]


def sizes(draw):
    return draw.int(2, 999), 2 * draw.int(2, 999)


@case("held_by_blocks", "inputs and outputs", hint=about_blocks)
def blocks_whole(f, draw):
    return f([*blocks(draw, ["nothing", "x", "y"], 6), "y", "x"], *sizes(draw))


@case("held_by_blocks", "halves, too", points=2, draws=5, hint=about_blocks)
def blocks_halves(f, draw):
    return f(blocks(draw, ["nothing", "x", "x2", "y1", "y"], 8), *sizes(draw))


@case("held_by_blocks", "every block keeps nothing", hint=about_blocks)
def blocks_nothing(f, draw):
    return f(["nothing"] * draw.int(2, 9), *sizes(draw))


@by_hand("held_by_blocks", "work the bytes out from the sizes")
def blocks_by_hand(draw):
    return blocks(draw, ["nothing", "x", "x2", "y1", "y"], 3), *sizes(draw)


# --- FlatChain and SwapChain


def mlp(draw):
    """A net with its two weights; their .grad is there already.

    As many bytes as the lesson's, and smooth: no rounding turns a relu on or off.
    """
    a, b = (mg.tensor(draw.array(*s) * 0.4, requires_grad=True) for s in ((3, 6), (6, 3)))
    a.grad, b.grad = mg.zeros_like(a), mg.zeros_like(b)
    return lambda u: (u @ a).tanh() @ b, [a, b]


def nets(draw, count):
    made = [mlp(draw) for _ in range(count)]
    return [f for f, _ in made], [w for _, weights in made for w in weights]


def paired(fns):
    return list(zip(fns[::2], fns[1::2], strict=True))


def batch(draw):
    return tensor(draw, draw.int(9, 40), 6)


def run(op, data, fns):
    x = data.clone().requires_grad_()
    y = op(x, fns)
    seed = mg.ones_like(y)
    y.backward(seed)
    return y, x.grad


def gradients(f, draw, shape):
    data, (fns, weights) = batch(draw), nets(draw, 6)
    x = data.clone().requires_grad_()
    y = f.apply(x, shape(fns))
    first = digest(y)
    y.backward(mg.ones_like(y))
    found = {"output": first, "output after backward": digest(y), "x": digest(x.grad)}
    return found | {"weights": [digest(w.grad) for w in weights]}


def about_gradients(got, want):
    if isinstance(got, Raised):
        return None
    if differs(got["output"], got["output after backward"]):
        return "Your backward wrote into the output, which is the caller's: clone its halves first."
    return GRADIENTS


def held(f, draw, shape):
    """[bytes after forward, bytes that the node holds after backward]; nobody else holds `x`."""
    data, (fns, _) = batch(draw), nets(draw, 8)
    x = data.requires_grad_()
    x.grad = mg.zeros_like(x)

    def walked():
        y = f.apply(x * 1.0, shape(fns))
        node = y.grad_fn
        y.backward(mg.ones_like(y))
        return node

    return [measure(lambda: f.apply(x * 1.0, shape(fns))).kept, measure(walked).kept]


def peak(f, draw, shape):
    data, (fns, _) = batch(draw), nets(draw, 10)
    step = measure(run, f.apply, data, shape(fns))
    return step.at_peak(step.peak / data.nbytes)


def products(f, draw, shape):
    data, (fns, _) = batch(draw), nets(draw, 2 * draw.int(2, 5))
    found = measure(run, f.apply, data, shape(fns)).matmuls
    return beside(found, forwards=2 * len(fns))


def about_held(got, want):
    if isinstance(got, Raised):
        return None
    if got[0] > want[0]:
        return "Forward leaves more behind than `y`. What hangs on `ctx`, or on a graph of its own?"
    if got[1] > want[1]:
        return (
            "After backward, and without the name `y`, the node still holds bytes. Who frees those?"
        )
    return None


GRADIENTS = (
    "Compare with the same blocks, called one by one: is each gradient of a stream the sum of all "
    "ways to the output, and does each block meet its own output?"
)
PEAK = (
    "At the peak more is alive than output, seed, one pair of streams and its gradients. Since "
    "which line?"
)
PRODUCTS = "Forward once, once again, two for the gradients. Where does your chain run one more?"


@case("FlatChain", "output and gradients", given=True, points=2, hint=about_gradients)
def flat_gradients(f, draw):
    return gradients(f, draw, paired)


NEEDED = ("output and gradients",)


@case(
    "FlatChain",
    "bytes held after forward, and after backward",
    cost=True,
    points=2,
    needs=NEEDED,
    hint=about_held,
)
def flat_held(f, draw):
    return held(f, draw, paired)


@case(
    "FlatChain",
    "a second backward",
    invariant=True,
    hint="An attribute of `ctx` is there the second time as well. What is saved by "
    "`save_for_backward` is not.",
)
def flat_second(f, draw):
    data, (fns, _) = batch(draw), nets(draw, 4)
    y = f.apply(data.requires_grad_(), paired(fns))
    y.sum().backward()
    return error_of(y.sum().backward)


# right 9 to 10, wrong from 11
@case("FlatChain", "U at the peak of a step", at_most="10.5", needs=NEEDED, hint=PEAK)
def flat_peak(f, draw):
    return peak(f, draw, paired)


@case(
    "FlatChain", "products of a step", given=True, at_most="4 forwards", needs=NEEDED, hint=PRODUCTS
)
def flat_products(f, draw):
    return products(f, draw, paired)


def about_node(got, want):
    if isinstance(got, Raised):
        return None
    if got["below"] != want["below"]:
        return "Below the output's node is not the node of `x`: run all blocks inside `forward`."
    return (
        "The chain is one node, but its output is another. In each block the streams change "
        "places: what is the first stream of the next block, and what the second?"
    )


@case("SwapChain", "its output, and the node below it", draws=2, hint=about_node)
def swap_node(f, draw):
    data, (fns, _) = batch(draw), nets(draw, 5)
    y = f.apply(data.requires_grad_(), fns)
    below = y.grad_fn.next_functions[0][0] if y.grad_fn else None
    return {"output": digest(y), "below": below.name() if below else "nothing"}


@case("SwapChain", "gradients", points=2, hint=about_gradients)
def swap_gradients(f, draw):
    return gradients(f, draw, list)


@case(
    "SwapChain",
    "bytes held after forward, and after backward",
    cost=True,
    needs=("gradients",),
    hint=about_held,
)
def swap_held(f, draw):
    return held(f, draw, list)


# right 9, wrong from 10
@case("SwapChain", "U at the peak of a step", at_most="9.5", needs=("gradients",), hint=PEAK)
def swap_peak(f, draw):
    return peak(f, draw, list)


@case("SwapChain", "products of a step", at_most="4 forwards", needs=("gradients",), hint=PRODUCTS)
def swap_products(f, draw):
    return products(f, draw, list)
