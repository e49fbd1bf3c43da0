"""Lesson 12: a test of gradients that a learner writes, tried on chains right and broken."""

import minigrad as mg
from course.trying import any_form, case, caught

from . import planted

# --- is_trustworthy


def tried(f, draw, task, ways):
    """{what a way does: whether the learner's test trusts it}; eight of them, numbered."""
    (make, x), said = task, {}
    for number, (name, recipe) in enumerate(planted.mixed(draw, ways, RIGHT_ONES), 1):
        found = said[f"{name} ({number})"] = f(planted.way(recipe), make, x)
        refused = name in RIGHT_ONES and found is False
        if refused and (error := caught(f, planted.way(recipe), make, x)):
            return f"False for '{name}', after an error: {error}"
    return said if all(isinstance(one, bool) for one in said.values()) else "no bool"


RIGHT_ONES = {
    "the chain of section 1": "a gradient in float32 may differ in its last digits: allow 1e-4.",
    "streams in float64": "a gradient in float32 may differ in its last digits: allow 1e-4.",
    "streams kept": "its gradients are those of the stored twin, to the last digits.",
    "dice put back": "do both runs begin with the same dice?",
    "diary put back": "did both runs begin with new blocks?",
}
SLIPS = {
    "a path forgotten": "compare all gradients, that of `x` and those of the weights.",
    "not undone": "compare all gradients, that of `x` and those of the weights.",
    "only that of x": "compare all gradients, that of `x` and those of the weights.",
    "only those of the weights": "compare all gradients, that of `x` and those of the weights.",
    "drift": "compare the gradients, and take `wrongness` below 1e-4.",
    "float64, rebuilt in float32": "compare the gradients, and take `wrongness` below 1e-4.",
    "other dice": "compare the gradients, with the same dice at the start of both runs.",
    "other dice, the generator put back": "the next step has its dice, and this one others than in "
    "forward. Compare the gradients, too.",
    "generator left behind": "its gradients are right. What will the *next* step throw?",
    "dice put back, a path forgotten": "its dice are right. Compare the gradients, too.",
    "written twice": "its gradients are right. Look at the statistics, too.",
    "only the count put back": "its count is right. Look at the other entries of `state_dict()`.",
    "run again in eval": "its statistics are right. Compare the gradients as well.",
    "diary put back, a path forgotten": "its statistics are right. Compare the gradients, too.",
    "a hundredth too much for x": "compare the gradients, and take `wrongness` below 1e-4.",
    "weights moved": "its gradients are right. Are the weights still what they were?",
}


@any_form
def about_test(got, want):
    if not isinstance(got, dict):
        if isinstance(got, str) and "after an error" in got:
            error = got.partition("after an error: ")[2]
            return (
                f"Your test caught an error in a line of its own, and took it for a fault: {error}."
            )
        return "Return True or False." if isinstance(got, str) else None
    wrong = {name.rpartition(" ")[0] for name in want if got[name] is not want[name]}
    for name, where in SLIPS.items():
        if name in wrong:
            return f"'{name}' gets by: {where}"
    refused = next(name for name in RIGHT_ONES if name in wrong)
    return f"'{refused}' is right, and your test refuses it: {RIGHT_ONES[refused]}"


@case("is_trustworthy", "trusted: formulas", draws=2, hint=about_test)
def trust_formulas(f, draw):
    task = planted.task(draw, 3, mg.nn.ReLU, 0.4)
    return tried(f, draw, task, planted.FORMULAS)


@case("is_trustworthy", "trusted: drift", draws=3, hint=about_test)
def trust_drift(f, draw):
    return tried(f, draw, planted.drifting(draw), planted.DRIFT)


@case("is_trustworthy", "trusted: dice", points=2, draws=2, hint=about_test)
def trust_dice(f, draw):
    task = planted.task(draw, 2, planted.dropout, 0.4)
    return tried(f, draw, task, planted.DICE)


@case("is_trustworthy", "trusted: diaries", points=2, draws=2, hint=about_test)
def trust_diaries(f, draw):
    task = planted.task(draw, 2, planted.norm, 0.4)
    return tried(f, draw, task, planted.DIARIES)


@case("is_trustworthy", "trusted: weights", draws=2, hint=about_test)
def trust_weights(f, draw):
    task = planted.task(draw, 2, mg.nn.ReLU, 0.4)
    return tried(f, draw, task, planted.WEIGHTS)
