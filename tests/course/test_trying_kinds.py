"""An answer of a wrong kind is told as what it is, for each exercise, and gives no number away."""

import re

import numpy as np
import pytest
from test_trying_true import EXERCISES, defined, ids, reference, wanted
from test_trying_true import verdict as judged
from trying_verdicts import TWICE, one, outcome, verdict

import minigrad as mg
from course.trying import cases, forms, judge, order, plain, run, told
from course.trying.draw import PRACTICE

PREDICTED = [(number, id) for number, id in EXERCISES if cases.predicted(id)]


# --- no number of the answer in a hint -------------------------------------------------------


def blank(value):
    """The same lists and dicts, with a 7 for each number."""
    if isinstance(value, list):
        return [blank(one) for one in value]
    if isinstance(value, dict) and "dict" in value:
        return {"dict": [[key, blank(one)] for key, one in value["dict"]]}
    return 7 if forms.sort(value) == "number" else value


def misshapen(value):
    """`value` with its numbers hidden, in forms that nobody asked for."""
    hidden = blank(value)
    yield from (7, None, "seven", True, [], [hidden], [[hidden]], {"dict": [["it", hidden]]})
    yield {"array": [7], "shape": [1], "dtype": "int64"}
    if isinstance(hidden, list) and hidden:
        for odd in ([7], [[7]], None, "seven", {"dict": []}):
            yield from ([odd, *hidden[1:]], [*hidden[:-1], odd], [*hidden, odd])
    if isinstance(hidden, dict):
        for odd in ([7], None, "seven"):
            yield {"dict": [[key, odd] for key, _ in hidden["dict"]]}


def figures(text):
    return {int(found) for found in re.findall(r"\d+", text)}


@pytest.mark.parametrize(("number", "id"), PREDICTED)
def test_no_form_of_a_wrong_answer_calls_forth_a_number_of_the_right_one(number, id):
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        asked = figures(str(right.get("asked", {}).get("calls", "")))
        secret = {n for n in figures(plain.line(right["value"])) if n > 20} - asked
        for wrong in misshapen(right["value"]):
            found = judged(case, {"value": wrong}, right)
            text = f"{found.expected} {found.got} {found.hint}"
            own = figures(text) - figures(plain.line(wrong))
            assert found.passed or case.is_cost or not own & secret, (case.name, wrong, found)


# --- what a case makes of it -----------------------------------------------------------------

GIVES = {"a text": "'100, 200'", "a set": "{1, 2}", "a dict": "{'a': 1, 'b': 2}", "None": "None",
         "a bool": "False", "a number": "7", "lists": "([1], [2])"}  # fmt: skip


def giving(number, id, source):
    """The function of that name which returns this, whatever it is asked; None for a class."""
    if isinstance(reference(number, id), type):
        return None
    return defined(number, id, f"def {id}(*a, **k):\n    return {source}\n")


@ids
@pytest.mark.parametrize("kind", GIVES)
def test_what_the_case_makes_of_a_wrong_kind_is_not_told(number, id, kind):
    function = giving(number, id, GIVES[kind])
    for case in cases.of(id) if function else ():
        right = wanted(number, id)[case.name]
        found = run.run_case(case, function, PRACTICE)
        said = judged(case, found, right)
        assert len(said.hint.split()) <= 40 or said.passed
        if found.get("where") == "case":
            assert found["error"] not in said.got and said.got.startswith("returned "), said
        if "value" in found and not (said.passed or case.is_cost or case.what):
            alien = told.alien(found, right)
            assert not alien or said.hint.startswith(f"Your function returned {alien[0]}"), said
            if alien and len(found["asked"]["gave"]) == 1:
                assert said.got.startswith("returned "), said


def test_where_the_reference_returns_several_kinds_none_is_told():
    right = {"asked": {"gave": ["None", "a tuple of 2 numbers"]}}
    assert told.alien({"asked": {"gave": ["False"]}}, right) == ("False", "")
    assert told.alien({"asked": {"gave": ["None"]}}, right) is None
    assert told.alien({"asked": {"gave": ["a list of 2 numbers"]}}, right) is None


# --- a call that failed ------------------------------------------------------------------------

NEVER = {
    "of no arguments": "def {id}():\n    return 7\n",
    "of arguments that are hashed": "import functools\n\n@functools.lru_cache\n"
    "def {id}(first, *a, **k):\n    return 7\n",
}


@ids
@pytest.mark.parametrize("kind", NEVER)
def test_a_function_that_never_began_has_not_come_to_its_end(number, id, kind):
    function = defined(number, id, NEVER[kind].format(id=id))
    for case in cases.of(id):
        right = wanted(number, id)[case.name]
        found = run.run_case(case, function, PRACTICE)
        if "error" not in found or found["line"] or not told.gaves(found)[-1] == "":
            continue
        said = judged(case, found, right)
        assert said.hint.startswith("The call itself failed") and found["text"] in said.hint, said


def courses(text):
    """A function out of a file that is not the learner's."""
    return eval(compile(text, "<the course's>", "eval"))


class Op(mg.autograd.Function):
    def forward(ctx, h, other):
        return h


def test_a_method_that_is_missing_or_takes_other_arguments_is_told():
    asks = one(courses("lambda f, draw: f.no_such(draw.int(1, 9)).tolist()"))
    assert "has no attribute 'no_such'" in verdict(Op, asks, right_class()).hint
    applies = one(courses("lambda f, draw: f.apply(mg.ones(draw.int(2, 9))).tolist()"))
    assert "Op.forward() missing 1 required" in verdict(Op, applies, right_class()).hint


def right_class():
    return type("Right", (), {"no_such": staticmethod(mg.ones), "apply": staticmethod(mg.clone)})


def stops(n):
    return next(iter(()))


def generator_stops(n):
    return sum(next(iter(())) for _ in range(n))


def test_a_stop_iteration_keeps_its_name_in_a_generator_of_the_case():
    summed = one(lambda f, draw: sum(f(n) for n in range(3)), cost=True)
    for case in (TWICE, one(courses("lambda f, draw: sum(f(n) for n in range(3))"))):
        found = outcome(stops, case)
        assert found["error"] == "StopIteration" and found["code"].startswith("return next")
    assert outcome(generator_stops, summed)["error"] == "RuntimeError"


# --- as good, and in another order -------------------------------------------------------------


def test_a_bool_of_numpy_is_a_bool_to_the_case():
    case = one(lambda f, draw: f(draw.int(1, 9)) is True)
    assert verdict(lambda n: np.bool_(n > 0), case, lambda n: True).passed


def test_a_stacked_array_is_as_good_as_a_list_of_arrays():
    stacked = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    want = plain.encode([stacked[0], stacked[1]])
    assert plain.same(plain.encode(stacked), want)
    assert not plain.same(plain.encode(stacked), want, exact=True)
    assert not plain.same(plain.encode(stacked + 1), want)
    assert not plain.same(plain.encode(stacked.t()), want)
    assert plain.like(plain.encode(stacked), want) == want


def test_an_array_of_texts_is_a_list_of_them():
    assert plain.encode(np.array([["a", "b"]])) == [["a", "b"]]
    assert forms.described(np.array(["a", "b"])) == "an array of 2 texts"


ORDERS = {
    "pair": ([2, 1], [1, 2]), "two": ([1, 3, 2], [1, 2, 3]), "turned": ([4, 3, 2, 1], [1, 2, 3, 4]),
    "": ([2, 2], [1, 2]),
}  # fmt: skip


@pytest.mark.parametrize("said", ORDERS)
def test_right_values_in_another_order_are_called_that(said):
    got, want = ORDERS[said]
    assert order.of(got, want) == said
    found = verdict(lambda n: got, one(lambda f, draw: f(1), hint="Own."), lambda n: tuple(want))
    assert found.hint == (judge.ORDERS[said] if said else "Own.")


def test_answers_to_several_questions_and_bools_are_in_no_order():
    asks = one(lambda f, draw: [f(1), f(2)], hint="Own.")
    assert verdict(lambda n: 3 - n, asks, lambda n: n).hint == "Own."
    firsts = one(lambda f, draw: [f(1)[0], f(2)[0]], hint="Own.")
    assert verdict(lambda n: (3 - n, 0), firsts, lambda n: (n, 0)).hint == "Own."
    assert order.of([True, False], [False, True]) == ""


WORDS = {
    "a tensor of one number": mg.tensor(1.0), "a tensor of 4 numbers": mg.ones(4),
    "an 8 x 3 tensor": mg.ones(8, 3), "an 11 x 2 array": np.ones((11, 2)),
    "a 3 x 4 tensor": mg.ones(3, 4), "a 118 x 1 array": np.ones((118, 1)),
    "an array of one number": np.array(1.0), "a dict of 1 item": {"a": 1}, "an empty dict": {},
    "a set of 2 numbers": {1, 2}, "a tuple of a dict and a tensor": ({}, mg.ones(1)),
    "a list of a number, None and a text": [1, None, "x"], "the number 3": np.int64(3),
    "a list of 4 numbers and texts": [1, 2, "x", "y"], "a list of 4 items": [1, 2, None, []],
    "a list of a bool and a number": [True, 1],
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_a_kind_is_named_in_words(words):
    assert forms.described(WORDS[words]) == words
