"""Lesson 17: the bisection that a learner writes, tried on steps whose parts are drawn."""

from collections import deque
from itertools import pairwise

import minigrad as mg
from course.trying import Raised, any_form, case, measure

# --- prefix_growth: a step is a list of recipes, (what a part does, how many floats)


def keeps(shared, floats):
    shared["kept"].append(mg.ones(floats))


def makes_and_drops(shared, floats):
    mg.ones(floats).exp()


def makes_once(shared, floats):
    if "once" not in shared:
        shared["once"] = mg.ones(10 * floats)


def keeps_the_last(shared, floats):
    shared.setdefault("last", deque(maxlen=5)).append(mg.ones(floats))


def goes_forward(shared, floats):
    h = (shared["w"] * mg.ones(floats)).tanh()
    shared["loss"] = (h * h).sum()
    shared["kept"].append(shared["loss"])


def goes_back(shared, floats):
    shared["loss"].backward()


def looks(shared, floats):
    shared["seen"] = mg.ones(floats)  # in the place of the last


def forgets(shared, floats):
    shared["seen"] = None


def maker(recipe):
    """The `make` of a step; its parts share what one call has made."""

    def make():
        shared = {"kept": [], "w": mg.ones(1, requires_grad=True)}
        return [part(does, shared, floats) for does, floats in recipe]

    return make


def part(does, shared, floats):
    return lambda: does(shared, floats)


def sized(draw, parts):
    return [(does, draw.int(11, 400)) for does in parts]


def answer(f, recipe):
    return list(f(maker(recipe)))


PREFIX = "Return a list of as many numbers as there are parts."
ALONE = "The first prefix is one part, the next is two. Each turn runs all of them, in their order."
BETWEEN = (
    "A prefix is another program: what a later part would end goes on. Call `make()` anew for each "
    "length, and run whole prefixes."
)


def judged(text):
    """A hint: about the form of the list, else `text`."""

    @any_form
    def hint(got, want):
        if isinstance(got, Raised) or not isinstance(got, list):
            return None
        if len(got) != len(want) or not all(isinstance(one, int | float) for one in got):
            return PREFIX
        if _by_itself(want) == got != want:
            return ALONE
        if all(
            one > other and one % other == 0 for one, other in zip(got, want, strict=True) if other
        ):
            return "These are bytes of several turns: divide by their number."
        return text

    return hint


def _by_itself(want):
    """What each part adds to the one before."""
    return [b - a for a, b in pairwise([0, *want])]


@case("prefix_growth", "parts that keep something, or nothing", hint=judged(ALONE))
def prefix_kept(f, draw):
    middle = draw.some([keeps, makes_and_drops, keeps, makes_and_drops], 4)
    return answer(f, sized(draw, [*middle, keeps]))


@case(
    "prefix_growth",
    "what is made once, or kept in a bounded number",
    hint=judged(
        "Something is made only once, or kept five times at most. Warm up first, with the same "
        "prefix and for more than five turns."
    ),
)
def prefix_bounded(f, draw):
    parts = draw.some([makes_once, keeps_the_last, keeps, makes_and_drops], 4)
    return answer(f, sized(draw, [*parts, keeps]))


@case(
    "prefix_growth",
    "a forward and its backward, a name and its end",
    points=2,
    hint=judged(BETWEEN),
)
def prefix_walked(f, draw):
    before, after = draw.some([keeps, makes_and_drops], 2)
    return answer(f, sized(draw, [before, goes_forward, looks, goes_back, forgets, after]))


@any_form
def about_left(got, want):
    if isinstance(got, Raised) or not isinstance(got, dict):
        return None
    if got["growth"] != want["growth"]:
        return PREFIX
    return "Bytes are left after your function: does it still hold parts, or what they share?"


@case("prefix_growth", "bytes that your function leaves behind", hint=about_left)
def prefix_left(f, draw):
    make = maker(sized(draw, [keeps, makes_once, keeps_the_last]))
    found = measure(f, make)
    growth = list(found.value)
    return {"growth": growth, "bytes left": found.left()}
