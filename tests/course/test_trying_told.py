"""Beside a verdict: which call failed, what was returned, what was alive, what it waits for."""

import sys
import weakref
from dataclasses import replace

import pytest
from trying_verdicts import TWICE, fails, one, outcome, verdict

import minigrad as mg
from course.trying import judge
from course.trying.calls import MOST, Answer, Calls
from course.trying.caught import caught
from course.trying.measure import measure


def test_points_hang_only_on_what_the_case_needs():
    known = [
        replace(TWICE, name="one"),
        replace(TWICE, name="two"),
        replace(one(lambda f, draw: 3, at_most="3", needs=("two",)), name="two: bytes"),
    ]
    wanted = {case.name: outcome(lambda n: 2 * n, case) for case in known}
    bad = {"value": -1}
    other, own = (judge.verdicts(known, wanted | {name: bad}, wanted) for name in ("one", "two"))
    assert [v.points for v in other] == [0, 2, 1] and [v.points for v in own] == [2, 0, 0]
    assert own[2].waits and own[2].hint == judge.FIRST.format("two") and "'two'" in own[2].got


def test_what_the_case_makes_of_an_answer_is_not_told_as_the_learners_error():
    text = "lambda f, draw: [t.tolist() for t in f(draw.int(1, 10**7))]"
    case = one(eval(text), returns="Two of them.")  # the course's file, and not the learner's

    def reference(n):
        return [mg.ones(2), mg.ones(2)]

    for gave, words in ((None, "returned None"), (7, "returned the number 7"),
                        ([[1.0], [2.0]], "returned a list of 2 lists")):  # fmt: skip
        found = verdict(lambda n: gave, case, reference)  # noqa: B023
        assert words in found.hint and "Two of them." in found.hint and found.line == ""
        assert found.got == words
    assert "a list of 2 tensors" in found.hint


def test_a_measured_case_tells_what_was_alive():
    def call(n):
        a = mg.ones(n, 3)
        b = a * 2
        return (a + b).sum()

    def case(f, draw):
        found = measure(f, 5)
        return found.at_peak(found.peak)

    start = call.__code__.co_firstlineno
    found = verdict(call, one(case, at_most="8"), call)
    assert found.alive.startswith("alive at the peak: ") and found.line.startswith("line ")
    for at in (1, 2, 3):
        assert f"1 tensor of shape (5, 3), 60 bytes, made on line {start + at}" in found.alive


def test_bytes_left_are_told_by_the_line_that_made_them():
    kept = []

    def keeps(n):
        kept.append(mg.ones(n))

    def case(f, draw):
        found = measure(f, 6)
        return found.at_end(found.left())

    text = verdict(keeps, one(case, cost=True), lambda n: None).alive
    made = keeps.__code__.co_firstlineno + 1
    assert text == f"alive at the end: 1 tensor of shape (6,), 24 bytes, made on line {made}"


def test_what_a_result_holds_is_told_though_the_case_drops_it():
    def case(f, draw):
        found = measure(f, 6)
        found.value = None
        return found.at_end(found.kept)

    text = verdict(lambda n: mg.ones(n), one(case, at_most="8"), lambda n: mg.ones(n)).alive
    assert text.startswith("alive at the end: 1 tensor of shape (6,), 24 bytes")


def test_an_error_that_a_test_swallows_is_found():
    def swallows(n):
        try:
            return n.no_such_name
        except AttributeError:
            return False

    case = one(lambda f, draw: caught(f, 3))
    line = swallows.__code__.co_firstlineno + 2
    words = "AttributeError: 'int' object has no attribute 'no_such_name'"
    assert outcome(swallows, case)["value"] == f"line {line}: {words}"
    assert outcome(lambda n: n, case)["value"] == "" and sys.gettrace() is None


def calls_of(run, real=lambda *arguments, **named: 0):
    calls = Calls()
    run(Answer(real, "double", calls))
    return calls.told()["asked"]["calls"]


class Doubling:
    apply = staticmethod(lambda n: 2 * n)
    factor = 2


def test_a_call_is_told_as_text():
    def asks(f):
        return f(3, [mg.ones(2, 3), "tanh"], key=fails)

    assert calls_of(asks) == ["double(3, [<2 x 3 tensor>, 'tanh'], key=<fails>)"]
    assert calls_of(lambda f: f.apply(1.5), Doubling) == ["double.apply(1.5)"]
    assert len(calls_of(lambda f: f(list(range(99))))[0]) <= 110


def test_the_calls_of_an_instance_and_too_many_calls_are_not_told():
    calls = Calls()
    double = Answer(Doubling, "double", calls)
    assert (double().apply(2), double.factor, calls.told()) == (4, 2, {})
    for _ in range(MOST + 1):
        double.apply(1)
    assert calls.told() == {}


def thrice(shape):
    """A case of three calls, whose answers stand in `shape`."""

    def run(f, draw):
        asked = draw.ints(3, 10, 10**6)
        return shape(asked, [f(n) for n in asked])

    return one(run)


SHAPES = {
    "a list": lambda asked, said: said,
    "a dict": lambda asked, said: dict(zip(map(str, asked), said, strict=True)),
    "answers, and what for": lambda asked, said: {"answers": said, "for": asked},
}


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_of_several_calls_the_one_that_is_wrong_is_told(shape, at):
    case, asked = thrice(shape), []

    def slips(n):
        asked.append(n)
        return n if len(asked) == at + 1 else 2 * n

    assert verdict(slips, case).call == f"double({asked[at]})"

    def stumbles(n):
        return fails(n) if n == asked[at] else 2 * n

    assert verdict(stumbles, case).call == f"double({asked[at]})"


def test_where_it_cannot_be_told_which_call_was_wrong_none_is():
    case = thrice(lambda asked, said: sum(said))
    assert verdict(lambda n: n, case).call == ""
    assert verdict(lambda n: n).call.startswith("double(")


def test_what_is_asked_keeps_no_argument_and_no_result():
    def run(f, draw):
        t = mg.ones(5)
        kept = [weakref.ref(t.untyped_storage()), weakref.ref(f(t).untyped_storage())]
        del t
        return [one() is None for one in kept]

    assert outcome(lambda t: t * 2, one(run))["value"] == [True, True]
