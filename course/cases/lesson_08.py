"""Lesson 08: loops that hold too much, a teacher without history, and what truncation costs."""

import minigrad as mg
from course.grade import Raised, any_form, by_hand, case, measure


def weight(draw, *shape, wants=True):
    return mg.tensor(draw.array(*shape), requires_grad=wants)


# --- log_and_learn


def training(draw, count):
    """(batches, w, held_out); w has its gradient already."""
    rows, w = draw.int(6, 40), weight(draw, 4, 3)
    w.grad = mg.zeros(4, 3)
    batches = [mg.tensor(draw.array(rows, 4)) for _ in range(count)]
    return batches, w, mg.tensor(draw.array(4 * rows, 4))


@any_form
def logged(got, want):
    kinds = got[2] if isinstance(got, list) else None
    if isinstance(got, Raised):
        return None
    if isinstance(kinds, list) and {*kinds} != {"float"}:
        return "What you log is no plain number: `.item()` gives a Python float."
    if kinds is False:
        return "`best` still has a `grad_fn`, and with it its graph."
    return "The numbers differ: keep the forward pass, the update and the order of the lines."


@case("log_and_learn", "losses and scores", hint=logged)
def log_numbers(f, draw):
    losses, scores, _ = f(*training(draw, 5))
    return [list(losses), list(scores), [type(n).__name__ for n in (*losses, *scores)]]


@case("log_and_learn", "the best output, and the weight", hint=logged)
def log_best(f, draw):
    batches, w, held_out = training(draw, 5)
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


def following(got, want):
    if isinstance(got, Raised) and "in-place" in got.text:
        return "This teacher wants gradients: write into a leaf only where nothing is recorded."
    if isinstance(got, Raised):
        return None
    if got[1] != want[1]:
        return (
            "The teacher's tensors are others, or want gradients now: write into its tensors, in "
            "place, and record nothing."
        )
    return "The average is wrong: `decay` belongs to the teacher, the rest to the student."


@case("follow_student", "three steps", hint=following)
def follow_values(f, draw):
    teacher, student, decay = school(draw)
    places = [t.data_ptr() for t in teacher]
    given = list(teacher)
    for _ in range(3):
        f(teacher, student, decay)
    same = [t.data_ptr() for t in given] == places
    own = all(a is b for a, b in zip(teacher, given, strict=True))
    return [[t.tolist() for t in given], [own, same, all(not t.requires_grad for t in given)]]


@case("follow_student", "a teacher copied with its flags", hint=following)
def follow_flags(f, draw):
    teacher, student, decay = school(draw, wants=True)
    f(teacher, student, decay)
    return [[t.tolist() for t in teacher], [t.requires_grad and t.is_leaf for t in teacher]]


def nodes_hint(got, want):
    if not isinstance(got, dict):
        return None
    if not got["untouched"]:
        return "The student was written into; only the teacher may move."
    if got["nodes"]:
        return "Each step is recorded: the teacher has a `grad_fn`."
    return "The average is wrong: `decay` belongs to the teacher, the rest to the student."


@case(
    "follow_student",
    "nodes behind the teacher, and the student untouched",
    hint=nodes_hint,
)
def follow_nodes(f, draw):
    teacher, student, decay = school(draw)
    before = [s.tolist() for s in student]
    f(teacher, student, decay)
    f(teacher, student, decay)
    unchanged = before == [s.tolist() for s in student]
    nodes = sum(t.grad_fn is not None for t in teacher)
    return {"nodes": nodes, "untouched": unchanged, "teacher": [t.tolist() for t in teacher]}


@case(
    "follow_student",
    "bytes at the peak",
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


@by_hand("truncated_account", "work the bytes out from the sizes")
def account_by_hand(draw):
    return sizes(draw, whole=False)
