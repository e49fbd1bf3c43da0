"""A case of several draws, and cases that count only together with others."""

import json
import time
from dataclasses import replace

import pytest
from sandbox_rooms import job
from trying_verdicts import TWICE, one

from course.sandbox.attempt import shaped
from course.sandbox.room import Room
from course.trying import judge
from course.trying.draw import PRACTICE
from course.trying.feedback import Feedback
from course.trying.run import run_all, run_case, seeds_of

THRICE = replace(TWICE, draws=3)
ROOM = """
from course.trying.cases import case

@case("total", "drawn three times", draws=3)
def thrice(f, draw):
    return f([draw.int(1, 10**7)])
"""


def double(n):
    return 2 * n


def wrong_from(draw):
    """Doubles, but at its draw of that number, and later."""
    calls = []

    def function(n):
        calls.append(n)
        return 2 * n if len(calls) < draw else n

    return function


def tried(function, case=THRICE, seed="s"):
    return run_case(case, function, seed, 2)


def test_the_first_draw_is_that_of_a_single_one_and_no_two_are_alike():
    several, single = tried(double), tried(double, TWICE)
    numbers = [found["value"] for found in [several, *several["more"]]]
    assert numbers[0] == single["value"] and len(set(numbers)) == 3 and "more" not in single
    assert seeds_of(THRICE, "s") != seeds_of(THRICE, "t")


def test_whoever_practises_is_told_of_one_draw():
    assert "more" not in tried(double, seed=PRACTICE)
    assert judge.judge(THRICE, tried(double, seed=PRACTICE), tried(double, seed=PRACTICE)).passed


def test_all_draws_must_be_right_and_the_first_wrong_one_is_told():
    right = tried(double)
    assert judge.judge(THRICE, tried(double), right).points == 2
    for draw in (1, 2, 3):
        found = judge.judge(THRICE, tried(wrong_from(draw)), right)
        wanted = [right, *right["more"]][draw - 1]["value"]
        assert (found.points, found.expected, found.got) == (0, f"{wanted:,}", f"{wanted // 2:,}")
        assert found.hint == "Two of them."


def test_a_draw_without_a_value_is_the_last():
    def fails(n, calls=[]):  # noqa: B006
        calls.append(n)
        return 2 * n if len(calls) < 2 else 1 / 0

    found = tried(fails)
    assert [one.get("error") for one in found["more"]] == ["ZeroDivisionError"]
    assert judge.judge(THRICE, found, tried(double)).got.startswith("ZeroDivisionError")


def test_all_draws_together_have_the_seconds_of_one():
    def works(n):
        began = time.process_time()
        while time.process_time() < began + 0.2:
            pass
        return 2 * n

    def waits(n):
        time.sleep(0.2)
        return 2 * n

    many = replace(TWICE, draws=20)
    for found in run_case(many, works, "s", 0.5), run_case(many, waits, "s", 0.5, patience=1):
        assert found["slow"] == 0.5 and "value" not in found
    assert "value" in run_case(replace(TWICE, draws=5), waits, "s", 0.5, patience=60)


@pytest.mark.parametrize("more", [None, [], [{"value": 1}], [{"value": 1}] * 9])
def test_draws_that_are_missing_or_made_up_count_for_nothing(more):
    right = tried(double)
    sent = {"value": right["value"]} | ({} if more is None else {"more": more})
    assert judge.judge(THRICE, sent, right).points == 0


def test_what_a_child_sends_of_further_draws_is_looked_at_as_the_first():
    sent = tried(double) | {"mine": 1}
    sent["more"][0]["mine"] = {"more": 2}
    assert shaped(sent) == tried(double)
    for more in (3, [3], [{}], [{"error": 5}], [{"value": 1}] * 99):
        with pytest.raises(Exception):  # noqa: B017, whatever it is: the warden takes them all
            shaped({"value": 1, "more": more})
    assert "more" not in shaped({"value": 1, "more": [{"value": 1, "more": []}]})["more"][0]


def test_a_child_sends_all_draws(tmp_path):
    file = tmp_path / "more_cases_99.py"
    file.write_text(ROOM)
    with Room(isolate=False, load=[file]) as room:
        found = room.run(job("def total(numbers):\n    return sum(numbers)"))["outcomes"]
    (outcome,) = found.values()
    assert len({one["value"] for one in [outcome, *outcome["more"]]}) == 3


def test_a_teachers_own_case_is_no_learners_code(tmp_path):
    file = tmp_path / "asking_cases_99.py"
    file.write_text(
        "import sys\nfrom course.trying import lines\nfrom course.trying.cases import case\n"
        "@case('total', 'whose')\n"
        "def whose(f, draw):\n    return f([lines.asks_numpy(sys._getframe())])"
    )
    with Room(isolate=False, load=[file]) as room:
        found = room.run(job("def total(numbers):\n    return sum(numbers)"))["outcomes"]
    assert [outcome["value"] for outcome in found.values()] == [0]


# --- what counts only together with others ------------------------------------------------------

SAME = replace(one(lambda f, draw: f(0)), name="the same", invariant=True)
DRAWN = replace(one(lambda f, draw: f(draw.int(1, 10**7))), name="drawn")
MORE = replace(one(lambda f, draw: f(draw.int(1, 10**7)) % 2), name="more", needs=("drawn",))
OTHER = replace(one(lambda f, draw: f(draw.int(1, 10**7))), name="other")
KNOWN = [SAME, DRAWN, MORE, OTHER]


def points(function, known=KNOWN):
    right = run_all(known, double, "s")
    return judge.verdicts(known, run_all(known, function, "s"), right)


@pytest.mark.parametrize("place", range(4))
def test_an_invariant_counts_with_all_drawn_values_wherever_it_stands(place):
    known = [DRAWN, MORE, OTHER]
    known.insert(place, SAME)
    assert [found.points for found in points(double, known)] == [1] * 4
    assert sum(found.points for found in points(lambda n: 0, known)) == 0

    def but_other(n, calls=[]):  # noqa: B006
        calls.append(n)
        return 2 * n if len(calls) < 4 else 0

    found = {one.case: one for one in points(but_other)}
    assert found["drawn"].points == found["more"].points == 1 and found["other"].points == 0
    assert found["the same"].waits and "'other'" in found["the same"].hint


def test_a_value_counts_with_those_that_it_names():
    found = {one.case: one for one in points(lambda n: 0)}
    assert found["more"].waits and "'drawn'" in found["more"].hint


def test_what_waits_lets_wait_in_turn():
    last = replace(MORE, name="last", needs=("more",))
    assert points(lambda n: 0, [*KNOWN, last])[-1].waits
    assert points(double, [*KNOWN, last])[-1].points == 1


def test_what_a_repair_was_given_with_counts_once_something_is_mended():
    given = replace(DRAWN, given=True)
    late = replace(MORE, needs=("drawn",))

    def mended(n, calls=[]):  # noqa: B006
        calls.append(n)
        return 2 * n if len(calls) < 3 else 2 * n + 1

    def untouched(n, calls=[]):  # noqa: B006
        calls.append(n)
        return 2 * n if len(calls) == 1 else 2 * n + 1

    first, other = points(untouched, [given, OTHER])
    assert (first.points, first.waits, first.hint) == (0, True, judge.MEND) and not other.waits
    assert [one.points for one in points(mended, [given, OTHER, late])] == [1, 1, 0]
    assert [one.points for one in points(double, [given, OTHER, late])] == [1, 1, 1]


def test_the_hint_is_for_what_is_wrong_and_not_for_what_waits():
    feedback = Feedback("double", points(lambda n: 0))
    assert feedback.failed.case == "drawn" and feedback.rows()[0][0] == "wait"


def test_all_of_it_is_plain_data():
    assert json.loads(json.dumps(tried(double))) == tried(double)
