"""Lesson 17: a net that watches itself, portions that fit a budget, and three meters of a job."""

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure
from minigrad import nn

from .digest import digest

# --- Watched


def linear(draw, rows, columns):
    """A layer whose numbers are drawn."""
    made = nn.Linear(rows, columns)
    with mg.no_grad():
        for weight in made.parameters():
            weight.copy_(mg.tensor(draw.array(*weight.shape) * 0.5))
    return made


def watched(f, draw):
    """(net, its optimizer, a function that makes a batch); its batches are larger than it."""
    net = f(linear(draw, 4, 8), linear(draw, 8, 2))
    rows = draw.int(120, 160)

    def batch():
        return mg.tensor(draw.array(rows, 4)), mg.tensor(draw.array(rows, 2))

    return net, mg.optim.SGD(net.parameters(), lr=0.1), batch


def steps(net, optimizer, batches):
    for x, target in batches:
        net.step(x, target, optimizer)


def kind(one):
    """ "float", also for one of numpy's."""
    return "float" if isinstance(one, int | float | np.generic) else type(one).__name__


def number(one):
    return float(one) if kind(one) == "float" or isinstance(one, mg.Tensor) else kind(one)


def books(net):
    """What it has watched, and of what kind these are."""
    found = {
        "losses": [number(one) for one in net.losses],
        "slopes": [number(one) for one in net.slopes],
        "spread": number(net.spread),
    }
    all_kinds = sorted({kind(one) for one in (*net.losses, *net.slopes, net.spread)})
    return found | {"kinds": all_kinds}


OTHER = {
    "losses": "The losses are others: keep the forward pass, the update and their order.",
    "slopes": "The slopes are others: the sum of `grad * h`, once for each step, in a list.",
    "spread": "The spread is another: three quarters of the last one and a quarter of the mean "
    "of `h * h`.",
    "kinds": "What is watched is no plain number yet: `.item()` gives a Python float.",
}


@any_form
def about_books(got, want):
    if not isinstance(got, dict):
        return None
    return next(OTHER[name] for name in OTHER if differs(got.get(name), want[name]))


SOME = 3, 9  # steps: nobody knows which is the last


@case("Watched", "what it has watched in some steps", points=2, hint=about_books)
def watched_books(f, draw):
    net, optimizer, batch = watched(f, draw)
    steps(net, optimizer, [batch() for _ in range(draw.int(*SOME))])
    return books(net)


@case(
    "Watched",
    "the weights after some steps",
    given=True,
    hint="The weights are others: is each step zeroed, walked once, and then taken?",
)
def watched_weights(f, draw):
    net, optimizer, batch = watched(f, draw)
    steps(net, optimizer, [batch() for _ in range(draw.int(*SOME))])
    return [digest(weight) for weight in net.parameters()]


LEFT = (
    "More is alive than the gradients. Which of the three is a tensor, or has a graph behind it? "
    "And a hook whose function uses `h` is held by `h`: a ring."
)


def measured_steps(f, draw):
    """(what some steps cost, bytes of the weights, rows); the grader hears what was watched."""
    net, optimizer, batch = watched(f, draw)
    batches = [batch() for _ in range(draw.int(*SOME))]

    def watch(*given):
        steps(*given)
        return list(books(net).values())  # asked while it is measured: asking may be the work

    found = measure(watch, net, optimizer, batches)
    return found, sum(w.nbytes for w in net.parameters()), len(batches[0][0])


@case("Watched", "bytes left after some steps", points=2, draws=3, at_most="1 weights", hint=LEFT)
def watched_left(f, draw):
    found, weights, _ = measured_steps(f, draw)
    return found.at_end(weights=weights)


@case(
    "Watched",
    "bytes at the peak of some steps",
    at_most="4 U + 2 weights",
    hint="More is alive at once than one step needs. What does this line make that could be gone, "
    "or need not be made? (`retain_grad` keeps a copy of the gradient.)",
)
def watched_peak(f, draw):
    found, weights, rows = measured_steps(f, draw)
    return found.at_peak(U=32 * rows, weights=weights)


# --- in_budget


def rows_of(draw, rows):
    """(loss_of, x, y, w); w has a gradient already."""
    w = mg.tensor(draw.array(4, 3), requires_grad=True)
    w.grad = mg.tensor(draw.array(4, 3))
    x, y = mg.tensor(draw.array(rows, 4)), mg.tensor(draw.array(rows, 3))

    def loss_of(x, y):
        return ((x @ w).tanh() - y).pow(2).mean()

    return loss_of, x, y, w


def bytes_a_row(loss_of, x, y):
    """What one row more takes at the peak of a walk."""
    few, many = (measure(walk, loss_of, x[:n], y[:n]).peak for n in (8, 16))
    return (many - few) // 8


def walk(loss_of, x, y):
    loss_of(x, y).backward()


def budgeted(f, draw, rows, fit):
    """What the call was given and returned, where so many of the rows fit; and the weight."""
    loss_of, x, y, w = rows_of(draw, rows)
    own = w.grad.clone()
    each = bytes_a_row(loss_of, x, y)
    w.grad = own
    return measure(f, loss_of, x, y, each, fit * each + draw.int(0, each - 1)), w, fit * each


def outcome(found, w):
    loss = found.value if kind(found.value) == "float" else kind(found.value)
    return {"loss": loss, "gradient": w.grad.tolist()}


@any_form
def about_whole(got, want):
    if not isinstance(got, dict):
        return None
    if differs(got["gradient"], want["gradient"]):
        return (
            "The gradient is another. It is added to what is in `.grad`, all rows count, and a "
            "mean of means is the mean only if all portions are of one size: weigh by rows."
        )
    if isinstance(got["loss"], str):
        return (
            f"The gradient is right. The loss is a {got['loss']} still, and asked for as a float."
        )
    return "The gradient is right. The loss of all rows is another: weigh each portion's."


@case("in_budget", "portions of one size", hint=about_whole)
def budget_even(f, draw):
    fit = draw.int(9, 20)
    found, w, _ = budgeted(f, draw, fit * draw.int(2, 4), fit)
    return outcome(found, w)


def uneven(f, draw):
    """(what a call cost, the weight, `size`, how many portions), with a smaller one at the end."""
    fit, whole = draw.int(16, 24), draw.int(3, 5)
    return *budgeted(f, draw, fit * whole + draw.int(1, 9), fit), whole + 1


@case("in_budget", "a last portion that is smaller", points=2, hint=about_whole)
def budget_uneven(f, draw):
    found, w, _, _ = uneven(f, draw)
    return outcome(found, w)


ROOM = 200  # the gradient of w has 48, each loss 4
HIGH = "More is alive at once than `size`. Is each portion walked before the next is computed?"
MANY = "More products than the portions need: take as many rows at a time as fit."
OVER, OFTEN = "over `size`", "in more portions than it needs"  # no run is good for one case alone


def about_cost(hint, word, other):
    """A hint about too much of one cost; where the value is this word, of the other."""

    def about(got, want):
        return None if isinstance(got, Raised) else other if got == word else hint

    return any_form(about)


@case(
    "in_budget",
    "bytes at the peak",
    at_most=f"1 size + {ROOM}",
    hint=about_cost(HIGH, OFTEN, MANY),
)
def budget_peak(f, draw):
    found, _, size, portions = uneven(f, draw)
    return found.at_peak(OFTEN if found.matmuls > 2 * portions else None, size=size)


@case(
    "in_budget",
    "products of matrices",
    at_most="2 portions",
    hint=about_cost(MANY, OVER, HIGH),
)
def budget_products(f, draw):
    found, _, size, portions = uneven(f, draw)
    return found.at_end(OVER if found.peak > size + ROOM else found.matmuls, portions=portions)


# --- job_account


def turning(draw, whole):
    """Sizes of a loop whose last turn is walked, or is not."""
    every = draw.int(2, 5)
    turns = every * draw.int(2, 6) + (0 if whole else draw.int(1, every - 1))
    return draw.int(2, 300), draw.int(2, 60), draw.int(2, 60), turns, every


THREE = "Return three numbers: bytes at A, bytes at B, bytes that zero_grad frees."


def about_meters(got, want):
    if isinstance(got, Raised):
        return None
    if got[2] != want[2]:
        return "zero_grad: two layers have two weights and two biases, and each has a gradient."
    if got[0] != want[0]:
        return (
            "At A: what does one graph save, and which graphs were walked? The losses are tensors, "
            "`out` is still bound, and gradients count."
        )
    return "At B: two names still hold the last turn. Was it walked?"


@case("job_account", "the last turn is walked", points=2, hint=about_meters, returns=THREE)
def account_walked(f, draw):
    return list(f(*turning(draw, whole=True)))


@case("job_account", "the last turn is not", points=2, hint=about_meters, returns=THREE)
def account_open(f, draw):
    return list(f(*turning(draw, whole=False)))


@by_hand("job_account", "work the bytes out from the sizes", of=(False, True))
def account_by_hand(draw, whole):
    return turning(draw, whole)
