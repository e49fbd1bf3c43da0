"""Lesson 08: a test for leaks that a learner writes, tried on loops that leak or do not."""

from collections import deque
from dataclasses import dataclass

import minigrad as mg
from course.trying import any_form, case, measure

from .lesson_08 import weight

# --- leaks: loops of one body, which reads what it does from a drawn recipe
#
# Each computes all that one of them keeps, and what grows comes back in the same forms as what does
# not: the operations tell nothing, nor does what a loop returns.

NO_BYTES = "nothing", "its losses as numbers", "its weight, again and again"


@dataclass(frozen=True)
class Recipe:
    """What a loop does in each iteration, and what it keeps."""

    takes: str = "nothing"
    last: int | None = None  # so many are kept; None for all
    hidden: bool = False  # the list outlives the call, and is not returned
    silent: bool = False  # nothing is returned
    shows: bool = False  # beside it, the losses are returned as numbers
    backward: bool = False
    ready: bool = True  # the `.grad` is there before the first call
    carries: str = ""  # the next iteration begins at this one's output: "whole", "cut", or "late":
    # cut as the next one begins
    burst: bool = False  # all is kept until the end, and then let go


def grows(recipe):
    """Whether more is alive after more iterations."""
    kept = recipe.takes not in NO_BYTES
    return recipe.carries == "whole" or kept and recipe.last is None and not recipe.burst


CARRIED = {"whole": "with its graph", "cut": "and cuts it", "late": "and cuts it at the next start"}


def told(recipe):
    """What the loop does, in words."""
    if recipe.carries:
        return f"carries a state {CARRIED[recipe.carries]}"
    said = f"keeps {f'the last {recipe.last} of ' if recipe.last else ''}{recipe.takes}"
    said += ", in a list that outlives it" if recipe.hidden else ""
    said += ", and returns numbers" if recipe.shows else ""
    said += ", and lets all go at the end" if recipe.burst else ""
    return said + ("" if recipe.ready else ", and makes a `.grad` in its first call")


def made(draw, recipe):
    """A loop after the recipe; its sizes are drawn."""
    x, w = mg.tensor(draw.array(draw.int(5, 30), 4)), weight(draw, 4, 4)
    w.grad = mg.zeros(4, 4) if recipe.ready else None
    outlives: deque = deque(maxlen=recipe.last)

    def loop(n):
        kept = outlives if recipe.hidden else deque(maxlen=recipe.last)
        shown: deque = deque()
        h = x
        for _ in range(n):
            start = {"late": h.detach()}.get(recipe.carries, h)
            out = (start @ w).tanh()
            loss = out.sum()
            if recipe.backward:
                loss.backward(retain_graph=bool(recipe.carries))
            kept.append(taken(recipe.takes, w, out, loss))
            shown.append(taken("its losses as numbers" * recipe.shows or "nothing", w, out, loss))
            h = {"": x, "cut": out.detach()}.get(recipe.carries, out)
        if recipe.burst:
            kept.clear()
        return None if recipe.silent else (shown if recipe.hidden or recipe.shows else kept, h)

    return loop


def taken(what, w, out, loss):
    """What is kept of an iteration."""
    return {
        "nothing": None,
        "its losses": loss,
        "its losses as numbers": loss.item(),
        "its outputs": out,
        "its outputs, detached": out.detach(),
        "its weight, again and again": w,
    }[what]


def eight(draw, *given):
    """The recipes, and others such as they are, in any order: three to five of the eight grow."""
    grow, flat = ([one for one in given if grows(one) is wanted] for wanted in (True, False))
    growing = draw.int(max(3, len(grow)), min(5, 8 - len(flat)))
    grow = grow + [draw.choice(grow) for _ in range(growing - len(grow))]
    flat = flat + [draw.choice(flat) for _ in range(8 - growing - len(flat))]
    return draw.some(grow + flat, 8)


LARGE = (
    Recipe("its losses"),
    Recipe("its outputs, detached", hidden=True, backward=True),
    Recipe(carries="whole", backward=True),
    Recipe("its weight, again and again"),
    Recipe("its outputs", last=1, hidden=True, backward=True),
    Recipe(carries="cut", backward=True),
    Recipe(carries="late", backward=True),
)
SMALL = (
    Recipe("its losses", backward=True),
    Recipe("its losses", backward=True, ready=False),
    Recipe("its losses", backward=True, hidden=True, shows=True),
    Recipe("its losses as numbers", backward=True),
    Recipe("its losses as numbers", backward=True, ready=False),
    Recipe("its losses", last=1, backward=True),
)
BOUNDED = (
    Recipe("its outputs", last=5, backward=True),
    Recipe("its outputs", last=5, hidden=True, silent=True),
    Recipe("its outputs", burst=True),
    Recipe("its outputs, detached", backward=True, ready=False),
    Recipe("its losses", hidden=True, silent=True),
    Recipe("its outputs"),
)


def verdicts(f, draw, recipes):
    """{what the loop does: what `f` says of it}; the loops are numbered as they come."""
    return {f"{number}. {told(one)}": f(made(draw, one)) for number, one in enumerate(recipes, 1)}


ONCE = "Something is made only once, at the first call: warm up first."
PEAK = "It cried wolf: count what is alive afterwards, not the peak."
CRIED = (
    "It cried wolf: what is made once, or kept in a bounded number, is no leak. Warm up, then "
    "compare two runs."
)


def judged(missed):
    """A hint about the first wrong answer; `missed` is for a loop that grows."""

    @any_form
    def hint(got, want):
        if isinstance(got, dict) and not all(isinstance(v, bool) for v in got.values()):
            return "Return True or False."
        if not isinstance(got, dict):
            return None
        wrong = [name for name in want if got.get(name) is not want[name]]
        name = next((name for name in wrong if "first call" not in name), wrong[0])
        said = missed if want[name] else PEAK if "at the end" in name else CRIED
        said = ONCE if want[name] and "first call" in name else said
        return f"{said} Look at the loop that {name.partition(' ')[2]}."

    return hint


@case(
    "leaks",
    "loops that keep losses, outputs, states",
    points=2,
    draws=2,
    hint=judged(
        "A leak was missed. Hold what the loop returns, and count what is alive, not the peak."
    ),
)
def leaks_growing(f, draw):
    return verdicts(f, draw, eight(draw, *LARGE))


@case(
    "leaks",
    "4 bytes in each iteration, or none",
    draws=2,
    hint=judged("A small leak was missed: compare two runs exactly, without a tolerance."),
)
def leaks_small(f, draw):
    return verdicts(f, draw, eight(draw, *SMALL))


@case(
    "leaks",
    "loops that keep much, some of them no more with each iteration",
    points=2,
    draws=2,
    hint=judged(
        "A leak was missed. Hold what the loop returns, and compare runs longer than what is "
        "bounded."
    ),
)
def leaks_bounded(f, draw):
    return verdicts(f, draw, eight(draw, *BOUNDED))


@case(
    "leaks",
    "bytes that the test itself leaves behind",
    at_most="0",
    free=True,
    hint="Bytes are left after your test: does it still hold what a loop returned?",
)
def leaks_left(f, draw):
    """Of several loops, so that no answer is right by itself: what the test says is witnessed."""
    grows, stays = Recipe("its outputs, detached", backward=True), Recipe(carries="cut")
    loops = [made(draw, draw.choice((grows, stays))) for _ in range(6)]
    for loop in loops:
        loop(1)
    found = measure(lambda: [f(loop) for loop in loops])
    return found.at_end(found.left())
