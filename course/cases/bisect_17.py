"""Lesson 17: the bisection that a learner writes, tried on steps whose parts are drawn."""

from collections import deque
from dataclasses import dataclass
from itertools import chain, pairwise, repeat

import minigrad as mg
from course.trying import Raised, any_form, case, measure

# --- prefix_growth: what a part does is data, and one line does it, so that nobody who looks at the
# --- stack sees what becomes of the tensors that it makes

ROOM = {"kept": None, "last": 5, "seen": 1, "loss": 1, "dropped": 0}  # how many stay in each place


@dataclass(frozen=True)
class Recipe:
    """Steps of a part: (name of what comes, of what something is asked, what, what it is given)."""

    steps: tuple
    times: int = 1  # so many times the floats the first time
    once: bool = False  # and none later


MADE = "made", "engine", "ones", "floats"


def put(place):
    """A part that makes a tensor and puts it there."""
    return Recipe((MADE, ("", place, "append", "made")))


keeps, keeps_the_last, looks = put("kept"), put("last"), put("seen")
makes_and_drops = put("dropped")
makes_once = Recipe(keeps.steps, times=10, once=True)
forgets = Recipe((("", "seen", "clear"),))
goes_forward = Recipe(
    (
        MADE,
        ("h", "w", "mul", "made"),
        ("h", "h", "tanh"),
        ("h", "h", "mul", "h"),
        ("h", "h", "sum"),
        ("", "loss", "append", "h"),
        ("", "kept", "append", "h"),
    )
)
goes_back = Recipe((("h", "loss", "pop"), ("", "h", "backward")))


def maker(recipes):
    """The `make` of a step; its parts share what one call has made."""

    def make():
        shared: dict = {place: deque(maxlen=most) for place, most in ROOM.items()}
        shared |= {"engine": mg, "w": mg.ones(1, requires_grad=True)}
        return [part(recipe, shared, floats) for recipe, floats in recipes]

    return make


def part(recipe, shared, floats):
    later = repeat(0 if recipe.once else floats)
    sizes = chain([recipe.times * floats], later)
    return lambda: run(recipe.steps, {**shared, "floats": next(sizes)})


def run(steps, names):
    for name, whose, what, *given in steps:
        names[name] = getattr(names[whose], what)(*[names[one] for one in given])


def sized(draw, parts):
    return [(recipe, draw.int(11, 400)) for recipe in parts]


def answer(f, recipes):
    return list(f(maker(recipes)))


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
