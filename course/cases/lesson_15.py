"""Lesson 15: where a net dies, a step on a diet, and no more work than the GPU demands."""

import minigrad as mg
from course.grade import by_hand, case, measure
from course.twins_on_digits import Residual
from minigrad import nn

from .digest import digest

# --- dies_in_block


def each_budget(f, rows, width, hidden, depth, first):
    """The answers for thirty budgets in a row, one number for each of the rows apart."""
    budgets = range(first * 4 * rows, (first + 30) * 4 * rows, 4 * rows)
    return [f(rows, width, hidden, depth, budget) for budget in budgets]


def about_block(got, want):
    if not isinstance(got, list) or any(not isinstance(one, int) for one in got):
        return "Return the number of a block, an int."
    pairs = [(one, other) for one, other in zip(got, want, strict=True) if one != other]
    if all(other == 0 for _, other in pairs):
        return "The net fits, and your function says that it dies. 0 stands for: all blocks fit."
    if all(one == 0 or one > other for one, other in pairs if other):
        return (
            "It dies earlier than you say. Is the batch there, what the relu saved, and everything "
            "that is alive at the worst moment inside a block?"
        )
    if all(0 < one <= other for one, other in pairs if other):
        return "It lives longer than you say. What the first Linear made is saved by nobody."
    return "Sometimes too early and sometimes too late: which moment inside a block is the worst?"


@case("dies_in_block", "hidden as wide as the net", hint=about_block)
def block_square(f, draw):
    width, rows = draw.int(3, 12), draw.int(2, 5000)
    first = draw.int(4 * width, 12 * width)
    return each_budget(f, rows, width, width, 24, first)


@case("dies_in_block", "a wide hidden layer", points=2, hint=about_block)
def block_wide(f, draw):
    width, rows = draw.int(2, 5), draw.int(2, 3000)
    hidden = width * 3 + draw.int(0, 9)
    first = draw.int(3 * hidden, 9 * hidden)
    return each_budget(f, rows, width, hidden, 24, first)


@case("dies_in_block", "a narrow one", hint=about_block)
def block_narrow(f, draw):
    hidden, rows = draw.int(2, 5), draw.int(2, 3000)
    width = hidden * 3 + draw.int(0, 9)
    first = draw.int(4 * width, 9 * width)
    return each_budget(f, rows, width, hidden, 24, first)


@case("dies_in_block", "until all of it fits", hint=about_block)
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


@case(
    "lean_step",
    "the gradients, and what is logged",
    points=2,
    hint="The same net, the same backward; and the log takes a Python float.",
)
def lean_gradients(f, draw):
    log: list = []
    net, x, labels = problem(draw, 16)
    f(net, x, labels, log)
    return [slopes(net), [one if isinstance(one, float) else "no float" for one in log]]


@case(
    "lean_step",
    "bytes left behind by three steps",
    hint="Something outlives the call: what did you put into the log, or keep by a name?",
)
def lean_left(f, draw):
    log: list = []
    net, x, labels = problem(draw, 16)
    return measure(lambda: [f(net, x, labels, log) for _ in range(3)]).left()


@case(
    "lean_step",
    "bytes at the peak of a step",
    points=2,
    at_most=1.04,  # a name for the scores is no matter, a name for an output is
    hint="Too many inputs are kept, or too much runs again at once, or a name holds what a segment "
    "could let go. What is alive at this line?",
)
def lean_peak(f, draw):
    net, x, labels = problem(draw, 16)
    found = measure(f, net, x, labels, [])
    return found.at_peak(found.peak)


@case(
    "lean_step",
    "products of a step",
    at_most=1.0,
    hint="Each block may run twice in all. Is one of your segments inside another, or is backward "
    "asked for more than once?",
)
def lean_products(f, draw):
    net, x, labels = problem(draw, 16)
    return measure(f, net, x, labels, []).matmuls


def on_a_gpu(f, draw, depth, units):
    """["fits" or how many U it had, products] of a step on a GPU of so many U."""
    net, x, labels = problem(draw, depth)
    found = measure(f, net, x, labels, units * unit(x) + labels.nbytes + 8)
    had = (found.peak + x.nbytes) / unit(x)  # with the gradient of a weight, which is tiny here
    return ["fits" if had < units + 0.5 else f"had {had:.0f} U", found.matmuls]


def about_gpu(got, want):
    if not isinstance(got, dict):
        return None
    for name, (ended, products) in got.items():
        if ended != "fits":
            return f"On {name} it {ended}. Do the sum, before you run, of what your way needs."
        if products > want[name][1]:
            return f"On {name} a cheaper way fits. Is anything run twice that need not be?"
    return "Fewer products than any of the ways has: is all of the net run, and all of backward?"


def on_gpus(f, draw, depth, sizes):
    return {f"{units} U": on_a_gpu(f, draw, depth, units) for units in sizes}


@case(
    "step_on", "loss and gradients", hint="A checkpoint must not change them: compare with storing."
)
def gpu_gradients(f, draw):
    net, x, labels = problem(draw, 12)
    loss = f(net, x, labels, draw.int(14, 30) * unit(x) + labels.nbytes + 8)
    return [loss, slopes(net)]


@case("step_on", "a large GPU", hint=about_gpu)
def gpu_large(f, draw):
    depth = draw.choice([8, 12])
    return on_gpus(f, draw, depth, [2 * depth + 5, 2 * depth + 5 + draw.int(1, 9)])


@case("step_on", "smaller ones, 16 blocks", points=2, hint=about_gpu)
def gpu_small(f, draw):
    return on_gpus(f, draw, 16, [draw.int(17, 20), 16, draw.int(22, 30), 36])
