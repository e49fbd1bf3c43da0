"""Lesson 15: where a net dies, a step on a diet, and no more work than the GPU demands."""

import numpy as np

import minigrad as mg
from course.trying import (
    Raised,
    any_form,
    beside,
    by_hand,
    case,
    differs,
    measure,
    plain,
    settled,
)
from course.twins_on_digits import Residual
from minigrad import nn

from .digest import digest

# --- dies_in_block


def each_budget(f, rows, width, hidden, depth, first):
    """The answers for thirty budgets in a row, one number for each of the rows apart."""
    budgets = range(first * 4 * rows, (first + 30) * 4 * rows, 4 * rows)
    return [f(rows, width, hidden, depth, budget) for budget in budgets]


def about_block(got, want):
    if isinstance(got, Raised):
        return None
    pairs = [(one, other) for one, other in zip(got, want, strict=True) if one != other]
    if all(other == 0 for _, other in pairs):
        return "The net fits, and your function says that it dies. 0 stands for: all blocks fit."
    if all(one == 0 or one > other for one, other in pairs if other):
        return (
            "It dies earlier than you say. Is the batch there, what the relu saved, and everything "
            "that is alive at the worst moment inside a block?"
        )
    if all(one == other - 1 for one, other in pairs if other):
        return "Exactly full still fits; and what the first Linear made is saved by nobody."
    if all(0 < one <= other for one, other in pairs if other):
        return "It lives longer than you say. What the first Linear made is saved by nobody."
    return "Sometimes too early and sometimes too late: which moment inside a block is the worst?"


@case(
    "dies_in_block",
    "hidden as wide as the net",
    hint=about_block,
    returns="Return the number of a block, an int.",
)
def block_square(f, draw):
    width, rows = draw.int(3, 12), draw.int(2, 5000)
    first = draw.int(4 * width, 12 * width)
    return each_budget(f, rows, width, width, 24, first)


@case(
    "dies_in_block",
    "a wide hidden layer",
    points=2,
    hint=about_block,
    returns="Return the number of a block, an int.",
)
def block_wide(f, draw):
    width, rows = draw.int(2, 5), draw.int(2, 3000)
    hidden = width * 3 + draw.int(0, 9)
    first = draw.int(3 * hidden, 9 * hidden)
    return each_budget(f, rows, width, hidden, 24, first)


@case(
    "dies_in_block",
    "a narrow one",
    draws=2,
    hint=about_block,
    returns="Return the number of a block, an int.",
)
def block_narrow(f, draw):
    hidden, rows = draw.int(2, 5), draw.int(2, 3000)
    width = hidden * 3 + draw.int(0, 9)
    first = draw.int(4 * width, 9 * width)
    return each_budget(f, rows, width, hidden, 24, first)


@case(
    "dies_in_block",
    "until all of it fits",
    draws=2,
    hint=about_block,
    returns="Return the number of a block, an int.",
)
def block_fits(f, draw):
    width, hidden, depth = draw.int(9, 20), draw.int(9, 20), draw.int(2, 6)
    rows, more = draw.int(2, 99), draw.int(2, 99)
    most = depth * (width + hidden) + 2 * width + hidden
    found = each_budget(f, rows, width, hidden, depth, most - 25)
    return [*found, f(more, width, hidden, depth, 10**9)]


@by_hand("dies_in_block", "work the bytes out from the sizes")
def block_by_hand(draw):
    sizes = draw.int(2, 99), draw.int(2, 30), draw.int(2, 30), draw.int(2, 9)
    return *sizes, draw.int(10**3, 10**5)


# --- lean_step and step_on

WIDTH, CLASSES = 8, 2
TINY = 300  # bytes that may be more: less than the labels have


def branch(draw):
    f = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
    with mg.no_grad():
        for linear in (f[0], f[2]):
            linear.weight.copy_(mg.tensor(draw.array(WIDTH, WIDTH) * 0.3))
    return f


def problem(draw, depth):
    """A net, its batch of 2 U and its labels; each weight has a .grad already."""
    blocks = [Residual(branch(draw)) for _ in range(depth)]
    net = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), *blocks, nn.Linear(WIDTH, CLASSES))
    for w in net.parameters():
        w.grad = mg.zeros_like(w)
    rows = draw.int(50, 70)
    labels = mg.tensor([draw.int(0, CLASSES - 1) for _ in range(rows)])
    return net, mg.tensor(draw.array(rows, 2 * WIDTH)), labels


def slopes(net):
    return [digest(w.grad) for w in net.parameters()]


def unit(x):
    return x.nbytes // 2


LEAN = ("the gradients",)


@case(
    "lean_step",
    "the gradients",
    given=True,
    hint="Not the gradients of the same net, stored: is all of it run, in its order, and backward "
    "run once, from the loss? A function made in a loop sees the loop's last value.",
)
def lean_gradients(f, draw):
    net, x, labels = problem(draw, 16)
    f(net, x, labels, [])
    return slopes(net)


@any_form
def about_log(got, want):
    if not isinstance(got, list):
        return None
    if len(got) != 1:
        return "One step leaves one entry in `log`: the loss."
    if isinstance(got[0], str):
        return f"In the log stands {got[0]}. It takes a Python float: `.item()`."
    return "The number in the log is not the loss of this step."


@case("lean_step", "what is logged", hint=about_log, shared=True)
def lean_logged(f, draw):
    log: list = []
    net, x, labels = problem(draw, 16)
    f(net, x, labels, log)
    return [number(one) for one in log]


def number(one):
    """The number itself, or in words what stands in place of a float."""
    if isinstance(one, float | np.floating):
        return float(one)
    kind = type(one).__name__
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


@case(
    "lean_step",
    "bytes left behind by three steps",
    cost=True,
    needs=LEAN,
    hint="Something outlives the call: what did you put into the log, or keep by a name?",
    shared=True,
)
def lean_left(f, draw):
    log: list = []
    net, x, labels = problem(draw, 16)
    found = measure(lambda: [f(net, x, labels, log) for _ in range(3)])
    return found.at_end(found.left())


@case(
    "lean_step",
    "U at the peak of a step",
    points=2,
    at_most="16.5",  # right 16 to 16.25, a name for an output 17
    needs=LEAN,
    hint="Are too many inputs kept, does too much run again at once, or does a name hold what a "
    "segment could let go? What is alive at this line?",
)
def lean_peak(f, draw):
    net, x, labels = problem(draw, 16)
    given, one = x.nbytes, unit(x)
    found = measure(f, net, x, labels, [])
    return found.at_peak((found.peak + given) / one)


@case(
    "lean_step",
    "products of a step",
    given=True,
    at_most="129",  # 101, and 2 for each of 16 blocks but one for each of 4 segments
    needs=LEAN,
    hint="Each block may run twice in all. Is one of your segments inside another, or is backward "
    "asked for more than once?",
)
def lean_products(f, draw):
    net, x, labels = problem(draw, 16)
    return measure(f, net, x, labels, []).matmuls


def ends_on(f, draw, depth, size_of):
    """How a step ends on a GPU of `size_of(x, labels)` bytes, and how many products it makes."""
    net, x, labels = problem(draw, depth)
    size, one, beside = size_of(x, labels), unit(x), labels.nbytes
    want = stored_slopes(net, x, labels)  # now: nobody has written into any of them
    given = x.nbytes + beside
    found = measure(f, net, x, labels, size)
    used, ran = found.peak + given, found.matmuls
    if used > size + TINY:
        return (f"needed {(used - beside - 8) / one:.1f} U" if ran else "nothing ran"), ran
    right = plain.same(plain.encode(slopes(net)), plain.encode(want))
    fits = "fits" if right else "fits, other gradients"
    return (fits if ran else "nothing ran"), ran


def stored_slopes(net, x, labels):
    """What the gradients are to be; each `.grad` is then zeros again, as a problem has it."""
    with settled.usual():
        nn.functional.cross_entropy(net(x), labels).backward()
    found = slopes(net)
    for w in net.parameters():
        w.grad.zero_()
    return found


def roomy(units):
    """A GPU with just the room for so many U beside the labels and the loss."""
    return lambda x, labels: units * unit(x) + labels.nbytes + 8


def whole(units):
    """A GPU of so many U in all: labels and loss take a part of the last."""
    return lambda x, labels: units * unit(x)


def small_gpus(draw):
    sizes = draw.int(17, 20), 16, draw.int(22, 30), 36
    return {f"{units} U and labels": roomy(units) for units in sizes}


def large_gpus(draw, depth):
    sizes = 2 * depth + 5, 2 * depth + 5 + draw.int(1, 9)
    return {f"{units} U and labels": roomy(units) for units in sizes}


def whole_gpus(draw):
    sizes = 17, 22, 37, draw.int(38, 45)
    return {f"{units} U": whole(units) for units in sizes}


PRODUCTS, FEWER = "products", "fewer on the largest"


def about_end(got, want):
    if not isinstance(got, dict):
        return None
    name, ended = next((name, end) for name, end in got.items() if end not in ("fits", FEWER))
    if name == PRODUCTS:
        return "It fits everywhere, at one cost. Where there is more room, a cheaper way fits, too."
    if ended == "nothing ran":
        return f"On {name} nothing ran: no product of matrices. A way that fits is there."
    if ended == "fits, other gradients":
        return f"On {name} the gradients are others: is all of the net run, and all of backward?"
    return (
        f"On {name} it {ended}. Do the sum, before you run, of what your way needs, and of what "
        "`labels` and the loss leave of `size`."
    )


def ends(f, draw, depth, gpus):
    """How it ends on each of them; the last, a large one, shall get less work than another."""
    found = {name: ends_on(f, draw, depth, size_of) for name, size_of in gpus.items()}
    made = [products for _, products in found.values()]
    work = FEWER if made[-1] < max(made) else "as many everywhere"
    return {name: end for name, (end, _) in found.items()} | {PRODUCTS: work}


def products_of(f, draw, depth, gpus):
    return sum([products_on(f, draw, depth, size_of) for size_of in gpus.values()])


def products_on(f, draw, depth, size_of):
    net, x, labels = problem(draw, depth)
    return measure(f, net, x, labels, size_of(x, labels)).matmuls


DEAR = (
    "Where they fit, a cheaper way fits, too. Is anything run twice that need not be? Or is more "
    "taken off than `labels.nbytes + 8`? `SMALL` belongs to 479 images."
)
GRADIENTS = ("loss and gradients",)


@case("step_on", "how it ends, 16 blocks", needs=GRADIENTS, hint=about_end)
def gpu_fits(f, draw):
    return ends(f, draw, 16, small_gpus(draw) | large_gpus(draw, 16))


@any_form
def about_step(got, want):
    if not isinstance(got, dict):
        return None
    if isinstance(got["loss"], str):
        return f"Your function returned {got['loss']}. Return the loss as a float: `.item()`."
    if differs(got["gradients"], want["gradients"]):
        return (
            "The gradients are not those of storing: is all of the net run, in its order, and is "
            "backward run once? A function made in a loop sees the loop's last value."
        )
    return "The gradients are right. The number that you return is not the loss."


@case("step_on", "loss and gradients", hint=about_step)
def gpu_gradients(f, draw):
    net, x, labels = problem(draw, 12)
    loss = f(net, x, labels, roomy(draw.int(14, 30))(x, labels))
    return {"loss": number(loss), "gradients": slopes(net)}


@case("step_on", "on GPUs of whole U", needs=GRADIENTS, hint=about_end)
def gpu_whole(f, draw):
    return ends(f, draw, 16, whole_gpus(draw))


RIGHT = "how it ends, 16 blocks", "loss and gradients"


# stored, twice: 2 a block forward and 4 backward, stem and head 5
@case("step_on", "products on two large GPUs", at_most="12 blocks + 10", needs=RIGHT, hint=DEAR)
def gpu_large(f, draw):
    depth = draw.choice([8, 12])
    return beside(products_of(f, draw, depth, large_gpus(draw, depth)), blocks=depth)


# a checkpoint every 2 on two GPUs, 125 each, and every block on two, 117 each
@case("step_on", "products on four smaller ones", at_most="484", needs=RIGHT, hint=DEAR)
def gpu_small(f, draw):
    return products_of(f, draw, 16, small_gpus(draw))
