"""Lesson 08: loops that hold too much, a teacher without history, and what truncation costs."""

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure


def weight(draw, *shape, wants=True):
    return mg.tensor(draw.array(*shape), requires_grad=wants)


# --- log_and_learn


def training(draw, count):
    """(batches, w, held_out); w has its gradient already."""
    rows, w = draw.int(6, 40), weight(draw, 4, 3)
    w.grad = mg.zeros(4, 3)
    batches = [mg.tensor(draw.array(rows, 4)) for _ in range(count)]
    return batches, w, mg.tensor(draw.array(4 * rows, 4))


def turning(draw):
    """As `training`; the lowest score is that of no end, and clearly the lowest."""
    while True:
        given = training(draw, 5)
        batches, w, held_out = given
        # In float64: which draw is taken must not hang on how a processor rounds float32.
        found = scores([x.double() for x in batches], w.double(), held_out.double())
        order = sorted(range(5), key=found.__getitem__)
        if order[0] not in (0, 4) and found[order[1]] - found[order[0]] > 2e-5:
            return given


def scores(batches, w, held_out):
    """The score after each batch; `w` itself stays as it is."""
    w, found = w.detach().clone().requires_grad_(), []
    for x in batches:
        out = (x @ w).tanh()
        (slope,) = mg.autograd.grad((out * out).mean(), [w])
        with mg.no_grad():
            w.sub_(0.1 * slope)
            found.append((held_out @ w).tanh().mean().item())
    return found


def kind(number):
    """ "float", also for one of numpy's: it holds nothing of minigrad's."""
    plain = isinstance(number, int | float | np.generic)
    return "float" if plain else type(number).__name__


@any_form
def logged(got, want):
    if not isinstance(got, list) or len(got) != 3:
        return None
    if isinstance(got[2], list) and {*got[2]} - {"float"}:
        return "What you log is no plain number: `.item()` gives a Python float."
    if got[2] is False:
        return "`best` still has a `grad_fn`, and with it its graph."
    if got[2] is True and not differs(got[1], want[1]):
        return "The weight is right. `best` is not the output that had the lowest of all scores."
    return "The numbers differ: keep the forward pass, the update and the order of the lines."


@case("log_and_learn", "losses and scores", hint=logged)
def log_numbers(f, draw):
    losses, scores, _ = f(*training(draw, 5))
    return [list(losses), list(scores), [kind(n) for n in (*losses, *scores)]]


@case("log_and_learn", "the best output, and the weight", hint=logged)
def log_best(f, draw):
    batches, w, held_out = turning(draw)
    best = f(batches, w, held_out)[2]
    return [best.tolist(), w.tolist(), best.grad_fn is None]


@case(
    "log_and_learn",
    "bytes left after eight batches",
    points=2,
    at_most="1 U + 2 w",  # right 1 U, or w too; wrong 8 U
    needs=("losses and scores",),
    hint="More is alive than one output. What was put into a list, or kept with its graph, or made "
    "anew, such as a `.grad`?",
)
def log_left(f, draw):
    given = training(draw, 8)
    return measure(f, *given).at_end(U=12 * len(given[0][0]), w=given[1].nbytes)


@case(
    "log_and_learn",
    "bytes at the peak",
    at_most="2 V + 4 U",  # right 2 V and 2 to 3 U, wrong from 3 V and 2 U
    needs=("losses and scores",),
    hint="More is alive at that line than one turn needs: which of it could be gone? "
    "Is a graph of the turn before still held, or did the validation record one?",
)
def log_peak(f, draw):
    given = training(draw, 8)
    return measure(f, *given).at_peak(U=12 * len(given[0][0]), V=12 * len(given[2]))


# --- follow_student


def school(draw, wants=False):
    shapes = [(draw.int(3, 9), draw.int(3, 9)) for _ in range(3)]
    teacher = [weight(draw, *shape, wants=wants) for shape in shapes]
    return teacher, [weight(draw, *shape) for shape in shapes], draw.int(1, 15) / 16


def taught(f, draw, steps, wants=False):
    """What the teacher is after some steps, what was to stay as it was, and how many nodes."""
    teacher, student, decay = school(draw, wants)
    before, given, views = copies(teacher), list(teacher), [t.detach() for t in teacher]
    theirs = copies(student)
    for _ in range(steps):
        f(teacher, student, decay)
    return {
        "student": "as it was" if copies(student) == theirs else "written into",
        "same tensors": all(a is b for a, b in zip(teacher, given, strict=True)),
        "same storages": places(given) == places(views),  # the views hold the old ones
        "nodes": sum(t.grad_fn is not None for t in teacher),
        "wants gradients": [t.requires_grad for t in given],
        "moved": copies(given) != before,
        "teacher": copies(given),
    }


def copies(tensors):
    return [t.tolist() for t in tensors]


def places(tensors):
    return [t.data_ptr() for t in tensors]


STAY = {
    "student": "The student was written into; only the teacher may move.",
    "same tensors": "Other tensors stand in the list `teacher` now: write into its tensors, in "
    "place, and record nothing.",
    "same storages": "The teacher's tensors lie in other storages now: write into its tensors, in "
    "place, and record nothing.",
    "nodes": "Each step is recorded: the teacher has a `grad_fn`.",
    "wants gradients": "The flag `requires_grad` of the teacher's tensors is not what it was.",
    "moved": "The teacher's numbers are what they were before: its weights did not move.",
    "teacher": "The average is wrong: `decay` belongs to the teacher, the rest to the student.",
}


@any_form
def following(got, want):
    if isinstance(got, Raised) and "in-place" in got.text:
        return "This teacher wants gradients: write into a leaf only where nothing is recorded."
    if not isinstance(got, dict):
        return None
    return next(STAY[name] for name in STAY if name in got and differs(got[name], want[name]))


@case("follow_student", "three steps", hint=following, shared=True)
def follow_values(f, draw):
    return taught(f, draw, 3)


@case("follow_student", "a teacher copied with its flags", hint=following, shared=True)
def follow_flags(f, draw):
    return taught(f, draw, 1, wants=True)


@case(
    "follow_student",
    "nodes behind the teacher, and the student untouched",
    invariant=True,
    hint=following,
    shared=True,
)
def follow_nodes(f, draw):
    found = taught(f, draw, 2)
    return {name: found[name] for name in ("student", "nodes", "moved")}


@case(
    "follow_student",
    "bytes at the peak",
    free=True,
    at_most="1.5 largest",  # right 0 to 1, wrong 3
    needs=("three steps",),
    hint="More is alive at once than one temporary of the largest weight.",
)
def follow_peak(f, draw):
    lists = school(draw)
    return measure(f, *lists).at_peak(largest=max(t.nbytes for t in lists[0]))


# --- truncated_account


def sizes(draw, whole):
    k = draw.int(2, 6)
    over = 0 if whole else draw.int(1, k - 1)
    return draw.int(2, 999), draw.int(2, 99), k * draw.int(2, 6) + over, k


THREE = "Return three numbers: bytes at A, bytes after the loop, pairs."


def account(got, want):
    if isinstance(got, Raised):
        return None
    if got[0] != want[0]:
        return (
            "At A: a window keeps the state it began with and the result of each step, once, and "
            "the loss is a tensor as well."
        )
    if got[1] != want[1]:
        return "After the loop: which steps came after the last cut? Nobody has walked their graph."
    return (
        "Pairs: within a whole window each loss reaches its own step and those before it. "
        "What is cut, or never walked, gives none."
    )


@case("truncated_account", "windows that divide the steps", points=2, hint=account, returns=THREE)
def account_whole(f, draw):
    return list(f(*sizes(draw, whole=True)))


@case("truncated_account", "steps left over", points=2, hint=account, returns=THREE)
def account_over(f, draw):
    return list(f(*sizes(draw, whole=False)))


@by_hand("truncated_account", "work the bytes out from the sizes", of=(False, True))
def account_by_hand(draw, whole):
    return sizes(draw, whole)
