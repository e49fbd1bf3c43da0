"""Lesson 14: what a pool counts, whose gradient it is, and at which block a net dies."""

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure
from course.twins_on_digits import Residual
from minigrad import gpu, nn
from minigrad.core.observer import Observer
from minigrad.gpu.simulated import Array

from .digest import digest

MiB = 2**20

# --- used_and_reserved

MOMENTS = (
    "Each tensor gets a segment of its own at first. How many bytes has it in steps of 512?",
    "The first pair is right. A `del` gives blocks back to the pool. Does the driver get any?",
    "Two pairs are right. Does the new tensor fit a kept block, and if so, has anything to be "
    "asked of the driver?",
    "Only the last pair is wrong. A segment goes back as a whole, and only if nothing in it is "
    "used: which kept blocks are whole segments?",
)


FOUR = "Return four pairs `[used, reserved]`, one for each moment."


def about_pairs(got, want):
    if isinstance(got, Raised):
        return None
    return next(hint for hint, one, other in zip(MOMENTS, got, want, strict=True) if one != other)


def pool_of(draw):
    """Some sizes, of which no two take as many steps, and the places of three that go."""
    steps = draw.some(range(1, 40), 7)
    sizes = [step * 128 - draw.int(0, 127) for step in steps]
    return sizes, draw.some(range(7), 3)


@case(
    "used_and_reserved",
    "a new one that fits in a kept block",
    points=2,
    draws=2,
    hint=about_pairs,
    returns=FOUR,
)
def pool_fits(f, draw):
    sizes, dropped = pool_of(draw)
    return f(sizes, dropped, max(1, sorted(sizes[place] for place in dropped)[1] - 128))


@case("used_and_reserved", "a new one that fits in none", hint=about_pairs, returns=FOUR)
def pool_too_large(f, draw):
    sizes, dropped = pool_of(draw)
    return f(sizes, dropped, max(sizes) + draw.int(129, 999))


@case(
    "used_and_reserved", "as large as the smallest that was dropped", hint=about_pairs, returns=FOUR
)
def pool_exact(f, draw):
    sizes, dropped = pool_of(draw)
    return f(sizes, dropped, min(sizes[place] for place in dropped))


POOL = "minigrad.gpu.pool", "`minigrad.gpu.pool`"


@by_hand("used_and_reserved", "work the bytes out from the sizes", POOL)
def pool_by_hand(draw):
    sizes, dropped = pool_of(draw)
    return sizes, dropped, draw.int(1, 999)


# --- fit_on_gpu


WEIGHTS = "the weights after three batches"


def training(draw, rows=4, columns=6):
    """A start, three batches, and a rate."""
    tensors = [mg.tensor(draw.array(rows, columns)) for _ in range(4)]
    return tensors[0], tensors[1:], draw.int(1, 9) / 16


ELSEWHERE = "the steps were not taken on the GPU"


class Steps(Observer):
    """How many bytes came to be, or were written, in tensors of any size: on the GPU, or not."""

    def __init__(self):
        self.there, self.here = 0, 0

    def born(self, storage):
        self._note(storage.array)

    def written(self, tensor):
        self._note(tensor._array)

    def _note(self, array):
        if isinstance(array, Array):
            self.there += array.nbytes
        else:
            self.here += array.nbytes


def on_the_card(f, given):
    """What it gives; or that the steps were taken elsewhere than on the GPU.

    Each batch comes there, with a product, its tanh and a gradient. On the CPU there may be an
    update of a leaf that lies there, but no gradient is computed in so few steps.
    """
    start, batches, _ = given
    with mg.cuda.simulate(MiB), Steps() as steps:
        found = f(*given).tolist()
    several = 4 * len(batches) * start.nbytes
    return found if steps.here <= several <= steps.there else ELSEWHERE


@any_form
def about_weights(got, want):
    if got == ELSEWHERE:
        return "The weight was trained on the CPU. Bring it and each batch to the GPU first."
    if isinstance(got, Raised) and "NoneType" in got.text:
        return "`w.grad` is None: `w` is no leaf. Which tensor did you ask to want a gradient?"
    if isinstance(got, Raised) and "does not require grad" in got.text:
        return "In this step nothing wants a gradient any more. Which line made another `w`?"
    if isinstance(got, Raised):
        return None
    return "Each batch takes one step, by its own gradient, from where the last one ended."


@case("fit_on_gpu", WEIGHTS, points=2, hint=about_weights)
def fit_values(f, draw):
    return on_the_card(f, training(draw))


def about_leaf(got, want):
    if not isinstance(got, dict):
        return None
    if differs(got["start"], want["start"]):
        return "`start` is the caller's: its numbers stay, and it wants no gradient."
    if got["device"] != want["device"]:
        return "`w` itself is asked for, on the GPU."
    if not got["leaf"]:
        return "`w` came out of an operation: it is no leaf, and an optimizer would refuse it."
    return "A leaf that wants a gradient, and whose `.grad` is empty."


@case("fit_on_gpu", "what is returned", needs=(WEIGHTS,), hint=about_leaf)
def fit_leaf(f, draw):
    with mg.cuda.simulate(MiB):
        start, batches, rate = training(draw)
        w = f(start, batches, rate)
        empty = w.grad is None if w.is_leaf else False
        return {
            "leaf": w.is_leaf,
            "wants": w.requires_grad,
            "device": w.device.type,
            "empty": empty,
            "start": [digest(start), start.requires_grad],
        }


@case(
    "fit_on_gpu",
    "nodes that backward runs",
    at_most="12",  # a sum, tanh, product and leaf for each of 3 batches
    needs=(WEIGHTS,),
    hint="Backward walks on, through a copy, to a tensor on the CPU. A leaf on the GPU ends it.",
)
def fit_visits(f, draw):
    with mg.cuda.simulate(MiB):
        return measure(f, *training(draw)).visits


@case(
    "fit_on_gpu",
    "bytes alive afterwards, on either device",
    at_most="w",
    needs=(WEIGHTS,),
    hint="Something besides `w` is alive: a leaf on the CPU, its gradient, or a graph.",
)
def fit_kept(f, draw):
    with mg.cuda.simulate(MiB):
        given = training(draw, draw.int(20, 40), draw.int(20, 40))
        return measure(f, *given).at_end(w=given[0].nbytes)


# --- dies_on

LATER = 999  # all blocks done: later than any block


def residual(width, hidden):
    return Residual(nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width)))


def equal_blocks(width, depth):
    return [residual(width, width) for _ in range(depth)]


@any_form
def about_block(got, want):
    if isinstance(got, Raised):
        return None
    if any(one is not None and not isinstance(one, int) for one in got):
        return "Return the number of a block, 0, or None."
    late, due = ([LATER if one is None else one for one in each] for each in (got, want))
    pairs = [(one, other) for one, other in zip(late, due, strict=True) if one != other]
    if all(one + 1 == other for one, other in pairs):
        return "One too few: count from 1, and name the block that dies, not the last one done."
    if all(other in (0, LATER) for _, other in pairs):
        return "0: blocks and `x` do not even fit. None: all blocks are done. In between, a number."
    if all(one > other for one, other in pairs):
        return (
            "It dies earlier than you say. Is forward recorded, and are all weights on the card "
            "from the start, each in steps of 512?"
        )
    return "Let the pool say it: 512 bytes a step, holes, and all that lives only for a moment."


def on_cards(f, make, sizes):
    """The answers for these cards, each with blocks, a batch and a simulator of its own."""
    cards = len(gpu.started)
    answers = []
    for size in sizes:
        answers.append(f(*make(), size))
        del gpu.started[cards:]
    return answers


def ten_cards(f, make, draw):
    """The answers for ten cards: from one that the weights alone fill to one that is enough."""
    low, high = bounds(*make())
    parts = draw.ints(10, 0, 109)
    return on_cards(f, make, [low + (high - low) * part // 99 for part in parts])


def bounds(blocks, x):
    """Bytes that a pool holds when blocks and batch are there, and when forward is done."""
    with mg.cuda.simulate(1 << 30) as card:
        for block in blocks:
            block.cuda()
        low = card.reserved()
        h = x.cuda()
        for block in blocks:
            h = block(h)
        for block in blocks:
            block.cpu()
        return low, card.reserved()


def batch(draw, width):
    return mg.tensor(draw.array(draw.int(40, 90), 1)) * mg.ones(width)


@any_form
def about_after(got, want):
    if not isinstance(got, dict):
        return None
    if got["cards in use"] != want["cards in use"]:
        return "Your simulated card is still in use: `with` ends it, `start()` needs a `stop()`."
    if {**got, "answers": 0} == {**want, "answers": 0}:
        return about_block(got["answers"], want["answers"])
    return (
        "Blocks and `x` belong to the caller: afterwards all are on the CPU, with the same "
        "numbers, also if moving them failed half way."
    )


@case("dies_on", "blocks, batch and card afterwards", invariant=True, hint=about_after)
def dies_after(f, draw):
    blocks, x = equal_blocks(8, 4), batch(draw, 8)
    weights = [w for block in blocks for w in block.parameters()]
    before, cards = [digest(w) for w in weights], len(gpu.started)
    sizes = MiB, 3000, 4 * 4 * 512 + 4 * x.nbytes  # enough; not for the weights; it dies
    answers = [f(blocks, x, size) for size in sizes]
    more = len(gpu.started) - cards
    del gpu.started[cards:]
    there = {t.device.type for t in (x, *weights)}
    same = there == {"cpu"} and [digest(w) for w in weights] == before
    left = {"cards in use": more, "devices": sorted(there), "as they were": same}
    return {"answers": answers, **left}


@case("dies_on", "residual blocks of one width", hint=about_block)
def dies_square(f, draw):
    width, depth = draw.int(6, 16), draw.int(8, 12)
    x = batch(draw, width)
    return ten_cards(f, lambda: (equal_blocks(width, depth), x.clone()), draw)


@case("dies_on", "blocks of all shapes", points=2, hint=about_block)
def dies_shapes(f, draw):
    widths, at = draw.ints(9, 4, 40), draw.int(2, 5)
    x = batch(draw, widths[0])

    def make():
        pairs = zip(widths, widths[1:], strict=False)
        blocks: list = [nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in pairs]
        blocks.insert(at, nn.Tanh())
        return blocks, x.clone()

    return ten_cards(f, make, draw)


@case("dies_on", "cards that are far too small, and large ones", invariant=True, hint=about_block)
def dies_ends(f, draw):
    x, weights = batch(draw, 8), 5 * 4 * 512
    sizes = 1, weights - 512, weights, weights + 1024, MiB
    return on_cards(f, lambda: (equal_blocks(8, 5), x.clone()), sizes)


# --- allocated

NAMES = "b", "c", "d", "e"
PRINTS = (
    "The first number: six tensors, each in steps of 512. `loss` is one of them.",
    "The first number is right. Which of the deleted does a node still hold, and which were held "
    "by their names alone?",
    "Only the last number is wrong. What does backward free, and what does it make?",
)


THREE = "Return three numbers, one for each `print`."


def about_allocated(got, want):
    if isinstance(got, Raised):
        return None
    number = min(i % 3 for i, pair in enumerate(zip(got, want, strict=True)) if pair[0] != pair[1])
    return PRINTS[number]


def sizes_of(draw):
    return draw.int(30, 400) * 2 + 1, draw.int(30, 299)  # below 1 MiB, and seldom whole steps


@case("allocated", "nothing deleted, two sizes", hint=about_allocated, returns=THREE)
def allocated_none(f, draw):
    first, second = sizes_of(draw), sizes_of(draw)
    return [*f(*first, []), *f(*second, [])]


@case("allocated", "two or three deleted", points=2, draws=3, hint=about_allocated, returns=THREE)
def allocated_some(f, draw):
    return list(f(*sizes_of(draw), draw.some(NAMES, draw.int(2, 3))))


@case("allocated", "all four deleted", hint=about_allocated, returns=THREE)
def allocated_all(f, draw):
    return list(f(*sizes_of(draw), draw.some(NAMES, 4)))


@by_hand("allocated", "work the bytes out from the sizes")
def allocated_by_hand(draw):
    return *sizes_of(draw), draw.some(NAMES, 2)
