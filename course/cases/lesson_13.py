"""Lesson 13: a kept graph answers from what it saved; a tape fills the same arrays again."""

import tracemalloc

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure

from .digest import digest

# --- slopes

FUNCTIONS = {
    "square": lambda a: (a * a).sum(),
    "exp": lambda a: a.exp().sum(),
    "mixture": lambda a: (a.exp() * a).sum() + a.tanh().sum(),
}


def ten_tanh(a):
    """Its graph holds 10 U, so that a second one is seen."""
    for _ in range(10):
        a = a.tanh()
    return a.sum()


def batches(draw, count, size):
    return [mg.tensor(draw.array(size)) for _ in range(count)]


EACH = "Return one `[value, gradient]` for each batch."


def about_slopes(got, want):
    if isinstance(got, Raised):
        return None
    values, gradients = ([[one[i] for one in each] for each in (got, want)] for i in (0, 1))
    if differs(*values):
        if _of_another(*values):
            return "A value is that of another batch: no line after `y = f(a)` computes `y` again."
        return "A value is wrong: it is what `f` gives for the batch, as a number."
    if _of_another(*gradients):
        return (
            "The values are right. A gradient still comes from what a node saved for another batch."
        )
    if not differs(gradients[0][1], _sum(gradients[1][:2])):
        return (
            "The values are right. A gradient is the sum of this batch's and the one before: what "
            "was in `.grad`?"
        )
    return "The values are right, and a gradient is that of no batch."


def _sum(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def _of_another(got, want):
    """Whether a wrong entry is that of another batch."""
    wrong = [one for one, right in zip(got, want, strict=True) if differs(one, right)]
    return any(not differs(one, other) for one in wrong for other in want)


@case("slopes", "a square", hint=about_slopes, returns=EACH)
def slopes_square(f, draw):
    return f(FUNCTIONS["square"], batches(draw, 3, 2))


@case("slopes", "an exponential, and a mixture", points=2, hint=about_slopes, returns=EACH)
def slopes_mixture(f, draw):
    given = batches(draw, 3, 2)
    return [*f(FUNCTIONS["exp"], given), *f(FUNCTIONS["mixture"], given)]


@case(
    "slopes",
    "calls of f, and the batches afterwards",
    needs=("a square", "an exponential, and a mixture"),
    hint="One call for each batch, on a leaf of its own: the caller's tensors want no gradient.",
)
def slopes_calls(f, draw):
    given = batches(draw, 4, 3)
    seen: list = []

    def noted(a):
        seen.append(1)
        return (a * a).sum()

    found = f(noted, given)
    return [len(seen), found, [t.tolist() for t in given], [t.requires_grad for t in given]]


@case(
    "slopes",
    "bytes at the peak",
    free=True,
    at_most="15.5 U",  # right 11 to 13, wrong from 23
    needs=("a square", "an exponential, and a mixture"),
    hint="More is alive at that line than one graph and its gradient: which of it could be gone, "
    "or be written in place? Is another graph kept, by an option or by a list?",
)
def slopes_peak(f, draw):
    given = batches(draw, 4, draw.int(50, 90))
    return measure(f, ten_tanh, given).at_peak(U=given[0].nbytes)


# --- kept_gradient

INPUTS, RESULTS = ["a * a", "log", "sin"], ["exp", "sqrt", "tanh"]


def numbers(draw):
    """An old and a new positive number, never the same."""
    old = draw.int(1, 20)
    return old / 8, (old + draw.int(1, 16)) / 8


TWO = "Return a list of two numbers, `[y.item(), a.grad.item()]`."


def about_kept(got, want):
    if isinstance(got, Raised):
        return None
    if differs(got[0], want[0]):
        return "`y` was computed once, from the old number. Does any later line compute it again?"
    return "The value is right. Which of the terms saved `a`, which what came out, and which both?"


@case("kept_gradient", "terms that saved their input", hint=about_kept, returns=TWO)
def kept_inputs(f, draw):
    terms = draw.some(INPUTS, 3) + [draw.choice(INPUTS) for _ in range(9)]
    return list(f(terms, *numbers(draw)))


@case("kept_gradient", "terms that saved their result", hint=about_kept, returns=TWO)
def kept_results(f, draw):
    terms = draw.some(RESULTS, 3) + [draw.choice(RESULTS) for _ in range(9)]
    return list(f(terms, *numbers(draw)))


@case("kept_gradient", "all of them", points=2, hint=about_kept, returns=TWO)
def kept_all(f, draw):
    terms = draw.some([*INPUTS, *RESULTS, "a.exp() * a"], 7)
    return list(f([*terms, "a.exp() * a"], *numbers(draw)))


@by_hand("kept_gradient", "work the numbers out with `math`")
def kept_by_hand(draw):
    return draw.some([*INPUTS, *RESULTS, "a.exp() * a"], 7), *numbers(draw)


# --- Tape


def about_values(got, want):
    if isinstance(got, Raised):
        return None
    if isinstance(got, list) and len({repr(one) for one in got}) == 1:
        return (
            "Each replay gives the first result. Do your calls read the caller's arrays, or "
            "copies, and do they write into the array that `call` returned?"
        )
    return "Make all calls again, in the order in which they were made, each into its own array."


def program(tape, x, w):
    """Five calls that build on each other."""
    product = tape.call(np.matmul, x, w)
    bent = tape.call(np.tanh, product)
    return tape.call(np.add, tape.call(np.multiply, bent, product), tape.call(np.negative, bent))


REPLAYED = ("the last array, after each of three replays",)


@case("Tape", *REPLAYED, hint=about_values)
def tape_values(f, draw):
    x, w, tape, found = draw.array(3, 4), draw.array(4, 2), f(), []
    y = program(tape, x, w)
    for _ in range(3):
        x[...] = draw.array(3, 4)
        tape.replay()
        found.append(y.tolist())
    return found


def about_sum(got, want):
    if isinstance(got, Raised) and got.own and "array" not in got.text.lower():
        return None
    return (
        "`np.sum` returns a number, into which nothing can be written: make an array of it before "
        "you note and return it."
    )


@case("Tape", "a sum at the end", hint=about_sum)
def tape_sum(f, draw):
    x, tape, found = draw.array(6), f(), []
    total = tape.call(np.sum, tape.call(np.square, x))
    for _ in range(2):
        x[...] = draw.array(6)
        tape.replay()
        found.append(float(total))
    return found


@case(
    "Tape",
    "calls of each function in three replays",
    invariant=True,
    needs=REPLAYED,
    hint="A replay makes each noted call once, and notes none of them again.",
)
def tape_calls(f, draw):
    seen, tape = [], f()

    def noted(*arrays, **options):
        seen.append(1)
        return np.multiply(*arrays, **options)

    y = draw.array(9)
    for _ in range(draw.int(2, 9)):
        y = tape.call(noted, y, y)
    seen.clear()
    for _ in range(3):
        tape.replay()
    return len(seen)


def about_made(got, want):
    if isinstance(got, Raised):
        return None
    if got["arrays"] == want["arrays"]:
        return "This replay made no array, and wrote no results: `y` is not that of the new `x`."
    return (
        "A call of a numpy function without `out=` makes an array, even if it is copied over "
        "right away."
    )


@case(
    "Tape",
    "arrays made in a replay",
    points=2,
    needs=REPLAYED,
    hint=about_made,
)
def tape_arrays(f, draw):
    x = draw.array(128, 128)  # 64 KiB
    tape = f()
    y = tape.call(np.tanh, x)
    for _ in range(draw.int(2, 5)):
        y = tape.call(np.multiply, y, x)
    tape.replay()
    x[...] = draw.array(128, 128)
    tracemalloc.start()
    try:
        tape.replay()
        made = tracemalloc.get_traced_memory()[1] // x.nbytes
    finally:
        tracemalloc.stop()
    return {"arrays": made, "y": digest(mg.tensor(y))}


@any_form
def about_bytes(got, want):
    if isinstance(got, Raised) and "method" in got.text and not got.own:
        return "`nbytes` is read without brackets: put `@property` above its `def`."
    if isinstance(got, dict) and got["a new tape"]:
        return "A new tape holds something: give each its own list in `__init__`, by `self.calls`."
    if isinstance(got, dict):
        return "The results that it holds, each once; arrays that the caller made are not its own."
    return None


@case("Tape", "its bytes", draws=2, hint=about_bytes)
def tape_bytes(f, draw):
    x, w, tape = draw.array(draw.int(2, 30), 4), draw.array(4, draw.int(2, 9)), f()
    program(tape, x, w)
    new = f().nbytes
    shared = isinstance(new, int) and new > 0  # then its figure depends on all that ran before
    return {"this tape": 0 if shared else tape.nbytes, "a new tape": shared}
