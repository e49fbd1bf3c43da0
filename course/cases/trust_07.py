"""Lesson 07: a test of ops that a learner writes, tried on ops right and broken."""

import gc

from course.trying import Raised, any_form, case, caught, measure

from .planted_ops import LEAKS, RINGS, WRONG_SLOPES, Recipe, eight, op

# --- trustworthy: what is tested here is a test


def verdicts(f, draw, faults):
    """{what was planted: the verdict}, of right ops and of broken ones, with a drawn scale."""
    scale = float(draw.array(4)[0]) + 2.0
    found: dict = {}
    for number, (what, recipe) in enumerate(eight(draw, faults), 1):
        name = f"{what} ({number})"
        found[name] = f(op(recipe, scale))
        gc.disable()  # whoever tests may have woken the collector
        refused = what not in faults and found[name] is False
        if refused and (error := caught(f, op(recipe, scale))):
            found[name] = f"False, after an error: {error}"
        if "y" in recipe.keeps:
            gc.collect()  # what this one left is no fault of the next
    return found


def about_verdicts(advice):
    @any_form
    def hint(got, want):
        if isinstance(got, Raised):
            return "Your test itself raised an error. Whatever an op does, the answer is a bool."
        if not isinstance(got, dict):
            return None
        name = next(name for name in sorted(want) if got[name] is not want[name])
        said = name.rpartition(" ")[0]
        if "after an error" in str(got[name]):
            error = got[name].partition("after an error: ")[2]
            return f"With {said}, your test caught an error in a line of its own: {error}."
        if not isinstance(got[name], bool):
            return "Return True or False, whatever the op does."
        if want[name]:
            return (
                f"Your test refuses {said}. Does it hold bytes itself that it counts, or ask for "
                "more digits than float32 has?"
            )
        return f"Your test accepts an op with a fault: {said}. {advice}"

    return hint


@case(
    "trustworthy",
    "wrong slopes",
    draws=2,
    hint=about_verdicts(
        "Does it try several numbers, of both signs, and let an op's error count as False?"
    ),
)
def test_of_slopes(f, draw):
    return verdicts(f, draw, WRONG_SLOPES)


@case(
    "trustworthy",
    "ops that do not let go",
    points=2,
    draws=2,
    hint=about_verdicts("Hold the loss and not the op's input, and count after backward."),
)
def test_of_leaks(f, draw):
    return verdicts(f, draw, LEAKS)


@case(
    "trustworthy",
    "ops that make a ring",
    points=2,
    draws=2,
    hint=about_verdicts("Run a forward without backward, drop the result, ask a weak reference."),
)
def test_of_rings(f, draw):
    return verdicts(f, draw, RINGS)


@case(
    "trustworthy",
    "bytes left by your test",
    at_most="0",
    free=True,
    draws=5,
    hint="Your test keeps something after it has answered: a result, a loss, a list outside it.",
)
def test_of_bytes(f, draw):
    """Of a right op or a wrong one: what the test says of it is witnessed."""
    recipe = draw.choice((Recipe(), Recipe(times=0.5)))
    found = measure(f, op(recipe, float(draw.array(4)[0])))
    return found.at_end(found.kept)
