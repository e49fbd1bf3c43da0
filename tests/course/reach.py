"""Everything that can be called in our packages, tried as the answer to every exercise.

    PYTHONPATH=. python tests/course/reach.py '{"seed": "7", "one_in": 1}'

Prints one JSON object a line: {"exercise", "name", "points", "of"} for whatever earned a point with
two draws, and last {"tried": how many}. A try is the exercise's first case; whatever gives a value
there gets all cases, in a process of its own.
"""

import gc
import inspect
import json
import random
import sys
import types
from pathlib import Path

import reach_found
from reach_guard import in_copies

import minigrad as mg
from course.classroom import syllabus
from course.classroom.reference import References
from course.trying import cases
from course.trying.draw import Draw
from course.trying.judge import verdicts
from course.trying.run import run_case

ROOT = Path(__file__).resolve().parents[2]
SHORT, LONG = 1, 5  # seconds for one case, of many tries and of few
FRESH = 100  # tries in one copy: what one has changed there can make another one fail


class Asked(BaseException):
    """How a case called the answer first: the attribute, and with how many arguments."""


class Probe:
    def __init__(self, part=""):
        self._part = part

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Probe(name)

    def __call__(self, *arguments, **named):
        raise Asked(self._part, len(arguments), tuple(named))


def first_call(case, seed):
    try:
        case.run(Probe(), Draw(seed, case.exercise, case.name))
    except Asked as asked:
        return asked.args
    raise AssertionError(f"{case.exercise}, {case.name}: it calls nothing")


class Trial:
    """One exercise, and what its solution gives for two draws."""

    def __init__(self, exercise, seeds, wanted):
        self.exercise, self.seeds, self.wanted = exercise, seeds, wanted
        self.known = cases.of(exercise)
        self.calls = {case.name: first_call(case, seeds[0]) for case in self.known}

    def first(self, answer):
        """Whether it earns a point; it has to give a value in the first case that it fits."""
        seed = self.seeds[0]
        for case in self.known:
            if _fits(answer, self.calls[case.name]):
                value = "value" in run_case(case, answer, seed, SHORT)
                return value and self._points(answer, seed, SHORT) > 0
        return False

    def points(self, answer):
        """The points, with each draw."""
        return [self._points(answer, seed, LONG) for seed in self.seeds]

    def _points(self, answer, seed, seconds):
        outcomes = {case.name: run_case(case, answer, seed, seconds) for case in self.known}
        outcomes = json.loads(json.dumps(outcomes))
        found = verdicts(self.known, outcomes, self.wanted[seed][self.exercise])
        return sum(one.points for one in found)

    def of(self, found):
        """The answers that can be made of something found: itself, by a line that fits it to the
        exercise, or one of these as the `apply` of a class.
        """
        applies = any(part == "apply" for part, *_ in self.calls.values())
        for name, fit in FITTED if found.numbers is None else FITTED[:1]:
            name = name.format(found.name)
            yield name, lambda fit=fit: fit(found.make())
            if applies:
                yield f"apply = {name}", lambda fit=fit: _applied(fit(found.make()))


def _twice(function):
    return lambda first, *more: function(first, first, *more)


def _derived(owner):
    """A class of ours that asks for a `formula`, with the function that it is given for one."""

    def call(run, *tensors):
        names = {"formula": classmethod(lambda cls, arguments, wanted, *given: (run(*given),))}
        found = type("Derived", (owner,), names).apply(None, None, *tensors)
        return found[0] if isinstance(found, tuple) else found

    return call if hasattr(owner, "formula") else None


def _in_order(function):
    """What it gives, nodes perhaps, by their numbers; leaves at the end."""
    return lambda root: sorted(
        function(root), key=lambda node: (hasattr(node, "variable"), -node._sequence_nr())
    )


FITTED = (
    ("{}", lambda one: one),
    ("{}(mg)", lambda one: one(mg)),
    ("{}(mg, ...)", lambda one: lambda *given: one(mg, *given)),
    ("{} of the first twice", _twice),
    ("{}(mg) of the first twice", lambda one: _twice(one(mg))),
    ("a class derived from {}", _derived),
    ("sorted({})", _in_order),
    ("sorted({}) from the node", lambda one: _in_order(lambda root: one(root.grad_fn))),
)


def _applied(function):
    return types.SimpleNamespace(apply=function)


def _fits(answer, call):
    part, count, named = call
    try:
        target = getattr(answer, part) if part else answer
        if not callable(target):
            return False
    except BaseException:
        return False
    try:
        inspect.signature(target).bind(*[None] * count, **dict.fromkeys(named))
    except TypeError:
        return False
    except BaseException:  # it has no signature, or an odd one: calling tells
        return True
    return True


def reached(trial, ones):
    """{"exercise", "name", "points", "of"} of what earns a point with both draws."""
    answers = [answer for one in ones for answer in trial.of(one)]

    def first(answer):
        return _safe(lambda: trial.first(answer[1]()))

    def points(answer):
        return _safe(lambda: trial.points(answer[1]()))

    some = (answers[at : at + FRESH] for at in range(0, len(answers), FRESH))
    left = [answer for part in some for answer, gave in in_copies(part, first, 20) if gave]
    for answer in left:
        [(_, gave)] = in_copies([answer], points, 100)
        if gave and min(gave) > 0:
            of = sum(case.points for case in trial.known)
            yield {"exercise": trial.exercise, "name": answer[0], "points": min(gave), "of": of}


def _safe(work):
    try:
        return work()
    except BaseException:
        return None


def everything(draw, one_in):
    """What is tried: all that is found, or some of it."""
    plain = reach_found.plain()
    if one_in > 1:
        plain = draw.sample(plain, len(plain) // one_in)
    parts = [*plain, *reach_found.methods(plain), *reach_found.made(plain)]
    draw.shuffle(parts)
    return parts


def main(seed, one_in=1, exercises=None):
    seeds, draw = [f"{seed}/1", f"{seed}/2"], random.Random(seed)
    chosen = exercises or [id for ids in cases.exercises().values() for id in ids]
    with References(syllabus.lessons(ROOT), isolate=False, hide=[]) as references:
        wanted = {one: references.outcomes(one, chosen) for one in seeds}
    reach_found.load()
    gc.collect()
    ones = everything(draw, one_in)
    gc.freeze()
    for exercise in chosen:
        for found in reached(Trial(exercise, seeds, wanted), ones):
            print(json.dumps(found), flush=True)
    print(json.dumps({"tried": len(ones)}))


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
