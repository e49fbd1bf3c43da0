"""What a measured run gives is compared with the reference's, whoever can tell it from another run.

The attack is made of each solution, for each case that measures anything: it works in some calls
and gives rubbish in others, chosen by chance.
"""

import os
import random

import pytest
import rubbish
from references import EXERCISES, reference

from course.classroom import marking
from course.trying import cases, judge

SEED = os.environ["MINIGRAD_MOVED"]


def measured(exercise, solution):
    """(case, the reference's outcome, the forms and names of its calls) where it measures."""
    for case in cases.of(exercise):
        want, forms, names = rubbish.honest(case, solution, f"rubbish {SEED}")
        if marking.is_measured(case, want):
            yield case, want, forms, names


def flags(case, outcome, want):
    """None if the case is not passed, or what a teacher is told of it."""
    verdict = judge.judge(case, outcome, want)
    found = marking.unlike([case], [verdict], {case.name: outcome}, {case.name: want})
    return found if verdict.passed else None


def attacks(forms, names, chance, by_hand):
    """(kind, the calls that give rubbish), for each kind all calls, and some of them.

    What is worked out by hand has no effect: its None is an answer, and perhaps the right one.
    """
    for kind in rubbish.KINDS:
        calls = list(enumerate(zip(forms, names, strict=False)))
        calls = [(n, pair) for n, pair in calls if not (by_hand and pair[0] is None)]
        able = [number for number, pair in calls if rubbish.tells(kind, *pair)]
        if able:
            yield kind, able
        if len(able) > 1 and kind != "unsaved":  # a result that is dropped needs no backward
            yield kind, sorted(chance.sample(able, chance.randint(1, len(able))))


@pytest.mark.parametrize(("lesson", "exercise"), EXERCISES)
def test_no_rubbish_in_a_measured_run_earns_a_point_without_a_flag(lesson, exercise):
    chance, solution = random.Random(f"{SEED}/{exercise}"), reference(lesson, exercise)
    for case, want, forms, names in measured(exercise, solution):
        assert flags(case, want, want) == []
        for kind, some in attacks(forms, names, chance, cases.predicted(exercise)):
            got = rubbish.idle(case, solution, f"rubbish {SEED}", kind, forms, some)
            assert flags(case, got, want) != [], (case.name, kind, some, SEED)
