"""What the solutions give for a draw, with as few witnesses as will do."""

import os
import random
from pathlib import Path

import pytest

from course.classroom import syllabus
from course.classroom.marking import is_measured
from course.classroom.reference import References
from course.trying import cases

SEED = os.environ["MINIGRAD_MOVED"]
LESSONS = syllabus.lessons(Path(__file__).resolve().parents[2])


class AllWitnessed(References):
    def _part(self, exercise):
        return super()._part(exercise) | {"witnessed": [case.name for case in cases.of(exercise)]}


@pytest.fixture(scope="module")
def ways():
    """For a seed: the outcomes of whoever has seen no draw, the same again, and all witnessed."""
    lessons = random.Random(SEED).sample(LESSONS, 5)
    with References(lessons, False, []) as known, AllWitnessed(lessons, False, []) as witnessed:
        return [plain(one.outcomes(SEED)) for one in (known, known, witnessed)]


def plain(found):
    """The same without what Python held: a process holds more where it does a thing at first."""
    if isinstance(found, dict):
        return {key: plain(one) for key, one in found.items() if key != "python"}
    return [plain(one) for one in found] if isinstance(found, list) else found


def test_a_draw_has_the_same_outcomes_whatever_was_drawn_before(ways):
    assert ways[0] == ways[1]


def test_all_that_is_measured_is_witnessed(ways):
    for exercise, outcomes in ways[2].items():
        for case in cases.of(exercise):
            whole, found = outcomes[case.name], ways[0][exercise][case.name]
            kept = whole if is_measured(case, whole) else _without(whole)
            assert found == kept, (exercise, case.name, SEED)


def _without(outcome):
    """The same of a run that nobody witnessed."""
    rest = {key: value for key, value in outcome.items() if key != "did"}
    return rest | ({"more": list(map(_without, rest["more"]))} if "more" in rest else {})
