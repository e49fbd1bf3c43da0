"""What `check` says is true of any answer: each exercise is tried with answers nobody planned.

The references run here, in this process; then an outcome is changed at a place drawn at random, or
the learner's function raises, or gives something of another kind.
"""

import copy
import json
import random
from functools import cache

import pytest
from references import EXERCISES, LESSONS, defined, reference

from course.build.rules import kinds
from course.trying import cases, differ, forms, judge, plain, run
from course.trying.draw import PRACTICE

ids = pytest.mark.parametrize(("number", "id"), EXERCISES, ids=lambda text: text)
MINE = "nobody has planned this error"
OTHERS = {"None": None, "a number": 7, "a text": "seven", "an empty list": [], "a dict": {}}


@cache
def wanted(number, id):
    """The reference's outcomes, as they come out of another process."""
    return json.loads(json.dumps(run.run_all(cases.of(id), reference(number, id), PRACTICE)))


def verdict(case, outcome, right):
    return judge.judge(case, json.loads(json.dumps(outcome)), right)


WORSE = (
    lambda one: one + 1 + abs(one),
    lambda one: one - 2 - abs(one),
    lambda one: 1000 * (one + 1),
)


# --- a value that is wrong at one place ------------------------------------------------------


def leaves(value, path=()):
    """The paths to all numbers of an encoded value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [path]
    inner = plain.entries(value) or {}
    return [found for key, one in inner.items() for found in leaves(one, (*path, key))]


def changed(value, path, how):
    """A copy, with another number at the path; arrays are lists in it."""
    if not path:
        return how(value)
    inner = {key: one for key, one in (plain.entries(value) or {}).items()}
    inner[path[0]] = changed(inner[path[0]], path[1:], how)
    if isinstance(value, list):
        return list(inner.values())
    if "array" in value:
        return value | {"array": flat(list(inner.values()))}
    return {"dict": [[key, inner[plain.decoded(key)]] for key, _ in value["dict"]]}


def flat(rows):
    return [one for row in rows for one in flat(row)] if isinstance(rows, list) else [rows]


def jittered(value, by=1e-6):
    """Each float moved by much less than the tolerance."""
    if isinstance(value, float):
        return value * (1 + by)
    if isinstance(value, list):
        return [jittered(one, by) for one in value]
    if isinstance(value, dict):
        return {key: jittered(one, by) if key in ("dict", "array") else one
                for key, one in value.items()}  # fmt: skip
    return value


def mutants(number, id, most=4):
    """(case, the reference's outcome, the path, a copy of it that is wrong there)."""
    dice = random.Random(f"{number}/{id}")
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        paths = leaves(right["value"]) if not case.is_cost else []
        for path in dice.sample(paths, min(most, len(paths))):
            wrong = changed(copy.deepcopy(right["value"]), path, dice.choice(WORSE))
            yield case, right, path, wrong


@ids
def test_both_lines_show_the_first_place_that_differs(number, id):
    for case, right, path, wrong in mutants(number, id):
        got, expected = differ.both(wrong, right["value"], case.names)
        assert got != expected and max(len(got), len(expected)) <= differ.MOST, (case.name, got)
        assert differ.first(wrong, right["value"])[: len(path)] == path
        if len(plain.line(right["value"])) > differ.MOST and path:
            place = differ.named(path, case.names)
            assert f"{place} = " in got and f"{place} = " in expected


@ids
def test_what_is_worked_out_by_hand_is_not_shown_when_it_is_wrong(number, id):
    kind = kinds(LESSONS[number].of("exercise", id)[0])
    assert cases.predicted(id) == ("predict" in kind)
    for case, right, path, wrong in mutants(number, id):
        found = verdict(case, right | {"value": wrong}, right)
        assert (found.expected == "-") == cases.predicted(id)
        if cases.predicted(id) and path:
            place = differ.named(path, case.names)
            assert found.got.startswith("wrong: ") and f"{place}: " in found.got


@ids
def test_no_hint_hangs_on_the_last_digits_of_a_float(number, id):
    for case, right, path, wrong in mutants(number, id):
        said = [
            verdict(case, right | {"value": value}, right).hint
            for value in (wrong, jittered(wrong), jittered(wrong, -1e-6))
        ]
        assert len(set(said)) == 1 and len(said[0].split()) <= 40, (case.name, path, said)
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        assert case.is_cost or verdict(case, jittered_outcome(right), right).passed, case.name


def jittered_outcome(outcome):
    return outcome | {"value": jittered(outcome["value"])}


# --- something of another kind ---------------------------------------------------------------


@ids
@pytest.mark.parametrize("kind", OTHERS)
def test_a_wrong_kind_is_named_before_anything_else(number, id, kind):
    other = plain.encode(OTHERS[kind])
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        found = verdict(case, {"value": other}, right)
        if plain.same(other, right["value"]) or found.passed or case.forms:
            continue
        mismatch = forms.mismatch(other, right["value"])
        said = mismatch and forms.sentence(mismatch, case.what)
        assert not mismatch or found.hint.startswith(said), (case.name, found)


# --- an error of the learner's own ------------------------------------------------------------


def raising(number, id):
    """The learner's answer, every line of which raises."""
    real = reference(number, id)
    if not isinstance(real, type):
        return defined(number, id, f"def {id}(*a, **k):\n    raise KeyError({MINE!r})\n")
    names = [name for name, it in vars(real).items() if callable(getattr(it, "__func__", it))]
    base = "mg.autograd.Function" if issubclass(real, _function()) else "object"
    body = [f"    def {name}(*a, **k):\n        raise KeyError({MINE!r})\n" for name in names]
    if base != "object":
        body = [f"    @staticmethod\n{text}" for text in body]
    return defined(number, id, f"class {id}({base}):\n" + "".join(body))


def _function():
    import minigrad as mg

    return mg.autograd.Function


@ids
def test_an_error_of_the_learners_own_is_shown_as_theirs(number, id):
    function = raising(number, id)
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        outcome = run.run_case(case, function, PRACTICE)
        if "error" not in outcome:  # the case catches it, or calls nothing of theirs
            continue
        found = verdict(case, outcome, right)
        assert found.got.startswith("KeyError: ") and MINE in found.got, case.name
        assert "raise KeyError" in found.line and found.line.startswith("line ")
        assert found.hint in (judge.STOPPED, "Your test itself raised an error. Whatever an op "
                              "does, the answer is a bool."), (case.name, found.hint)  # fmt: skip
        assert found.call.startswith(id) or not found.call


# --- the noting of calls changes nothing -------------------------------------------------------


@ids
def test_a_reference_costs_the_same_with_and_without_its_calls_noted(number, id, monkeypatch):
    monkeypatch.setattr(run, "Answer", lambda real, name, calls, shared: real)
    bare = json.loads(json.dumps(run.run_all(cases.of(id), reference(number, id), PRACTICE)))
    for name, outcome in wanted(number, id).items():
        assert plain.same(outcome["value"], bare[name]["value"]), name
        assert outcome.get("line") == bare[name].get("line"), name


@ids
def test_what_a_case_needs_is_there_and_does_not_need_it_in_turn(number, id):
    known = cases.of(id)
    names = {case.name for case in known}
    for case in known:
        assert case.needs is None or set(case.needs) <= names, case.name
        assert not any(case in some for some in _steps_of_need(case, known)), case.name


def _steps_of_need(case, known):
    """What it needs, what these need, and so on."""
    found = case.needed(known)
    while found and len(found) <= 10 * len(known):
        yield found
        found = [more for one in found for more in one.needed(known)]
