"""Every point is drawn: no guess, no copy, no empty answer earns one, and no mistake all of them.

The solutions are run for several seeds, which are drawn anew in each run and said where a test
fails. `run.py test` takes some of the lessons, as it does of all that takes minutes.
"""

import json
import os
import random
from collections import Counter

import echoes
import pytest
from answers import answers
from playback import Round, played
from references import LESSONS, defined, reference

from course.build.products import exercise_ids, stub
from course.trying import cases, drawn, judge
from course.trying.run import run_all

SEED = os.environ["MINIGRAD_MOVED"]
PLAYED = 8  # rounds
EARNED = 2  # of the rounds played in which chance alone may give a point
ECHOES = 6  # drawn of an exercise in one round
FIRST = 2  # rounds of a mistake; the others only where one of these gave all points
TRIVIAL = {
    "None": lambda *given: None,
    "an empty list": lambda *given: [],
    "an empty dict": lambda *given: {},
    "an empty text": lambda *given: "",
    "0": lambda *given: 0,
    "True": lambda *given: True,
    "False": lambda *given: False,
    "what came first": lambda *given: given[0] if given else None,
    "what came second": lambda *given: (given + given)[1] if given else None,
}


@pytest.fixture(scope="module", params=LESSONS)
def lesson(request):
    return request.param


@pytest.fixture(scope="module")
def rounds(lesson):
    """{exercise: [the rounds of its solution]}."""
    seeds = [f"points {SEED} {number}" for number in range(drawn.ROUNDS)]
    return {
        id: [Round(cases.of(id), reference(lesson, id), seed) for seed in seeds]
        for id in exercise_ids(LESSONS[lesson])
    }


def test_no_constant_is_right_in_many_rounds(rounds):
    """What is the same in every round is said to be, and needs a value that is drawn."""
    for id, some in rounds.items():
        outcomes = [found.outcomes for found in some]
        assert not [why for _, why in drawn.undrawn(cases.of(id), outcomes)], (id, SEED)


def test_what_is_the_same_in_every_round_is_said_to_be():
    """The rule itself, on a case that is always the same and one that is drawn."""
    same, other = cases.Case("e", "same", None), cases.Case("e", "other", None)
    rounds = [
        {"same": {"value": 1}, "other": {"value": n}, "waits": {"value": 2}} for n in range(9)
    ]
    assert [one.name for one, _ in drawn.undrawn([same, other], rounds)] == ["same"]
    waits = cases.Case("e", "waits", None, invariant=True)
    assert list(drawn.undrawn([other, waits], rounds)) == []
    assert [one.name for one, _ in drawn.undrawn([same, waits], rounds)] == ["same", "waits"]


def points(known, outcomes, right):
    """{case: points} of those that earned any."""
    found = judge.verdicts(known, json.loads(json.dumps(outcomes)), right.outcomes)
    return {verdict.case: verdict.points for verdict in found if verdict.points}


def earned(some, known, returned_of):
    """In how many of the rounds each case was earned by what `returned_of` says of a round."""
    found: Counter = Counter()
    for number, right in enumerate(some[:PLAYED]):
        found.update(set(points(known, played(known, returned_of(number), right.seed), right)))
    return {case: often for case, often in found.items() if often > EARNED}


def plain_ones(rounds):
    return [(id, cases.of(id), some) for id, some in rounds.items() if _copies(some)]


def _copies(some):
    return any(some[0].returned.values()) and all(found.is_plain for found in some)


def test_what_another_learners_answer_returned_earns_nothing(rounds):
    gained = {
        id: earned(some, known, lambda number, some=some: some[number - 1].returned)
        for id, known, some in plain_ones(rounds)
    }
    assert not any(gained.values()), (gained, SEED)


def test_a_counter_with_the_most_frequent_answers_earns_nothing(rounds):
    gained = {}
    for id, known, some in plain_ones(rounds):
        usual = {case.name: _usual([one.returned[case.name] for one in some]) for case in known}
        gained[id] = earned(some, known, lambda number, usual=usual: usual)
    assert not any(gained.values()), (gained, SEED)


def _usual(lists):
    """For each call, in order, what was returned most often."""
    found = []
    for place in range(max(map(len, lists))):
        there = [one[place] for one in lists if place < len(one)]
        texts = [repr(one) for one in there]
        found.append(there[texts.index(Counter(texts).most_common(1)[0][0])])
    return found


def test_an_empty_answer_earns_nothing(lesson, rounds):
    gen, gained = random.Random(SEED), {}
    for id, some in rounds.items():
        known, right = cases.of(id), gen.choice(some)
        for said, answer in TRIVIAL.items():
            idle = _idle(reference(lesson, id), answer)
            gained[id, said] = points(known, run_all(known, idle, right.seed), right)
    assert not {name: some for name, some in gained.items() if some}, SEED


def test_an_echo_earns_nothing(lesson, rounds):
    """An answer that gives back what it was given, or a part of it, or calls what can be called."""
    gained = {}
    for id, some in rounds.items():
        gen, known = random.Random(f"{SEED} {id}"), cases.of(id)
        for said, echo in echoes.answers(reference(lesson, id), gen, ECHOES):
            often = _often(known, echo, some)
            if often:
                gained[id, said] = often
    assert not gained, (gained, SEED)


def _often(known, answer, some):
    """The cases that the answer earns in each of more rounds than chance explains."""
    found: set = {case.name for case in known}
    for right in some[: EARNED + 1]:
        found &= set(points(known, run_all(known, answer, right.seed), right))
        if not found:
            break
    return sorted(found)


def test_the_cell_as_it_was_given_earns_nothing(lesson, rounds):
    """Neither a stub nor what a repair begins with: something has to be written, or mended."""
    gained = {}
    for id, some in rounds.items():
        given = defined(lesson, id, stub(LESSONS[lesson].of("exercise", id)[0]))
        for right in some[:FIRST]:
            known = cases.of(id)
            gained[id] = points(known, run_all(known, given, right.seed), right)
    assert not {id: some for id, some in gained.items() if some}, SEED


def _idle(real, says):
    """A function or a class that says this, whatever it is asked."""
    if not isinstance(real, type):
        return lambda *given, **named: says(*given, *named.values())
    methods = {
        name: staticmethod(lambda *given, **named: says(*given[1:]))
        for name, one in vars(real).items()
        if (callable(one) or isinstance(one, staticmethod)) and name != "__init__"
    }
    return type(real.__name__, real.__bases__, methods)


def test_no_known_mistake_earns_all_points_by_a_lucky_draw(lesson, rounds, request):
    first = drawn.ROUNDS if request.config.getoption("every_answer") else FIRST
    lucky = {}
    for one in answers(lesson):
        if one.kind == "wrong":
            whole = _has_all(one, defined(lesson, one.exercise, one.source))
            if any(map(whole, rounds[one.exercise][:first])):
                lucky[str(one)] = sum(map(whole, rounds[one.exercise]))
    assert not {name for name, often in lucky.items() if often > EARNED}, (lucky, SEED)


def _has_all(one, answer):
    """Tells of a round whether the answer has all points of its exercise there."""
    known = cases.of(one.exercise)
    of = sum(case.points for case in known)

    def told(right):
        return sum(points(known, run_all(known, answer, right.seed), right).values()) == of

    return told
