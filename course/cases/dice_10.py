"""Lesson 10: a checkpoint that throws the same dice again."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, case, differs, measure
from course.trying.banned import ban

from .lesson_10 import NOT_EMPTIED, grads, weights, with_grads

for exercise in "HonestCheckpoint", "SameDice":
    ban(exercise, "minigrad.utils.checkpoint", "`mg.utils.checkpoint`")
    ban(exercise, "minigrad.second", "`mg.second`")

# --- SameDice


def dropout(w):
    return lambda h: (h @ w) * (mg.rand(h.shape[0], w.shape[1]) > 0.5).float() * 2.0


MANY = 300, 400  # rows: a mask that is kept is more than anybody has to spare


def dice(draw, rows=(5, 30)):
    mg.manual_seed(draw.int(1, 10**6))
    x = weights(draw, draw.int(*rows), 4)
    return x, weights(draw, 4, 4), weights(draw, 4, 4)


def counted(run, runs):
    return lambda h: runs.append(1) or run(h)


def told(leaves, runs, forward):
    """The gradients; and how often the segments had run after forward, and after backward."""
    return {"gradients": grads(leaves), "runs": [forward, len(runs)]}


ONCE = "A checkpoint keeps nothing and runs its segment again in backward. When did yours run?"


@any_form
def about_masks(got, want):
    if not isinstance(got, dict):
        return None
    if got["gradients"] == [None]:
        return "The weights got no gradient: who sends it to them?"
    if not differs(got["gradients"], want["gradients"]):
        return ONCE
    return (
        "That is not the gradient through the mask that forward used. Where did the numbers stand "
        "as `run` began?"
    )


@case("SameDice", "the gradient with dropout", points=2, hint=about_masks)
def dice_gradient(f, draw):
    runs: list = []
    x, w, _ = dice(draw)
    y = f.apply(counted(dropout(w), runs), x)
    forward = len(runs)
    (y**2).sum().backward()
    return told([w], runs, forward)


def about_two(got, want):
    if isinstance(got, Raised) and got.own:
        return None
    if isinstance(got, Raised) or differs(got["gradients"], want["gradients"]):
        return "Each node has a state of its own to go back to: keep it in `ctx`."
    return ONCE


@case("SameDice", "two segments, each with its own mask", hint=about_two)
def dice_two(f, draw):
    runs: list = []
    x, w, v = dice(draw)
    h = f.apply(counted(dropout(w), runs), x)
    y = f.apply(counted(dropout(v), runs), h)
    forward = len(runs)
    (y**2).sum().backward()
    return told([x, w, v], runs, forward)


@case(
    "SameDice",
    "the random numbers that come after backward",
    needs=("the gradient with dropout",),
    hint="They are not those that were due: put the state back after the second run.",
)
def dice_after(f, draw):
    x, w, _ = dice(draw)
    y, _ = f.apply(dropout(w), x), mg.rand(draw.int(1, 9))
    y.sum().backward()
    return mg.rand(4).tolist()


def about_dice_bytes(got, want):
    if isinstance(got, Raised):
        return None
    if got[0] > want[0]:
        return "Forward leaves more behind than `h` and the result. What do `ctx` or a graph hold?"
    return NOT_EMPTIED if got[1] > want[1] else beyond("")(got[1], want[1])


@case(
    "SameDice",
    "bytes alive after forward, and after backward",
    needs=("the gradient with dropout",),
    hint=about_dice_bytes,
)
def dice_bytes(f, draw):
    x, w, _ = with_grads(*dice(draw, MANY))

    def step(backward):
        y = f.apply(dropout(w), x * 2.0)
        if backward:
            y.sum().backward()
        return y

    found = measure(step, False).kept, measure(step, True)
    return found[1].at_end([found[0], found[1].kept])


@case(
    "SameDice",
    "bytes at the peak of backward",
    at_most="5.5 U",  # right 4, wrong from 6
    needs=("the gradient with dropout",),
    hint="One recorded run and its gradients are all it takes. Which line makes more?",
)
def dice_peak(f, draw):
    x, w, _ = with_grads(*dice(draw, MANY))
    y = f.apply(dropout(w), x)
    return measure(y.backward, mg.ones(y.shape)).at_peak(U=y.nbytes)
