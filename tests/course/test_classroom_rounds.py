"""What is kept of a learner besides the points: the rounds, the code that ran, the time it took."""

import os
import random

import pytest
from classroom_made import HALF, WRONG, hand_in, ids
from classroom_run import FIRST, FULL, LESSONS, Room, points

from course.classroom import marking, records

KNOWN = {"full": FULL, "half": dict.fromkeys(FULL, HALF), "wrong": dict.fromkeys(FULL, WRONG)}
WORTH = {"full": 24, "half": 6, "wrong": 0}


@pytest.fixture
def dates(monkeypatch):
    """A new date whenever one is asked for."""
    count = iter(range(100))
    now = staticmethod(lambda: f"2026-12-01T00:00:{next(count):02d}+00:00")
    monkeypatch.setattr(marking.Marker, "now", now)


# --- rounds --------------------------------------------------------------------------------


def test_the_history_has_each_round_once(run, handed, dates):
    draw = random.Random(os.environ["MINIGRAD_MOVED"])
    wanted: list = []
    dated: list = []
    for _ in range(12):
        work = draw.choice(sorted(KNOWN))
        hand_in(handed / "ada", KNOWN[work], LESSONS)
        run(again=draw.random() < 0.3)
        if not wanted or wanted[-1] != work:
            wanted.append(work)
        found = records.last(run.out, "ada")["history"]
        assert [one["points"] for one in found] == [WORTH[work] for work in wanted]
        assert [one["round"] for one in found] == list(range(1, len(wanted) + 1))
        assert [one["date"] for one in found][: len(dated)] == dated, "graded again, same date"
        dated = [one["date"] for one in found]
        assert len(set(dated)) == len(dated)
        assert {one["of"] for one in found} == {24}
        equal = {(one["work"], one["points"]) for one in found}
        assert len(equal) == len(set(wanted)), "equal work, equal digest"
    assert len(records.last(run.out, "bob")["history"]) == 1


def test_a_date_decides_no_mark(run, monkeypatch):
    run()
    before = records.last(run.out, "bob")
    monkeypatch.setattr(marking.Marker, "now", staticmethod(lambda: "1999-01-01T00:00:00+00:00"))
    for name in (run.out / "records").glob("*.json"):
        name.unlink()
    run()
    after = records.last(run.out, "bob")
    assert after["history"] != before["history"]
    assert after | {"history": 0} == before | {"history": 0}


def test_a_date_is_utc_to_the_second():
    assert marking.Marker.now().endswith("+00:00") and len(marking.Marker.now()) == 25


def test_a_round_that_the_grader_could_not_grade_is_no_round(run, handed, monkeypatch):
    run()
    hand_in(handed / "bob", KNOWN["wrong"], LESSONS)

    def fail(job):
        raise RuntimeError("the warden ended")

    monkeypatch.setattr(Room, "before", staticmethod(fail))
    run()
    assert [one["points"] for one in records.last(run.out, "bob")["history"]] == [6]
    monkeypatch.setattr(Room, "before", staticmethod(lambda job: None))
    run()
    assert [one["points"] for one in records.last(run.out, "bob")["history"]] == [6, 0]


# --- code ----------------------------------------------------------------------------------


def test_the_record_holds_the_cells_that_ran_and_not_the_set_up(run):
    run()
    exercises = records.last(run.out, "cleo")["exercises"]
    assert exercises[FIRST]["code"] == [], "nobody wrote it"
    (cell,) = exercises[ids("01")[1]]["code"]
    assert cell["name"] == "cell 4" and "return 4 * layers * size" in cell["source"]
    assert "import minigrad" not in cell["source"]


def test_very_long_code_is_cut_and_says_so():
    long = [
        {"name": "cell 2", "source": "x = 1\n" * 2_000},
        {"name": "cell 3", "source": "y" * 9_000},
    ]
    cells = [
        {"name": "set-up", "source": "import minigrad"},
        *long,
        {"name": "cell 9", "source": "z"},
    ]
    kept = marking.code(cells)
    assert kept[0] == long[0] and kept[1]["source"].endswith("# cut here")
    assert sum(len(cell["source"]) for cell in kept) <= marking.MOST_CODE + len(marking.CUT)
    assert marking.code(cells[:2]) == long[:1]


# --- time ----------------------------------------------------------------------------------


@pytest.fixture
def slow(monkeypatch):
    """The processor works for bob's code alone: 4.9 s in each of the two cases."""
    now = [0.0]

    def before(job):
        if "return 4 * size" in job["cells"][-1]["source"]:
            now[0] += 2 * 4.9

    monkeypatch.setattr(Room, "before", staticmethod(before))
    monkeypatch.setattr(Room, "worked", staticmethod(lambda: now[0]))
    return now


def limited(run, seconds):
    file = run.out.parent / "class.toml"
    file.write_text(f"seconds_per_learner = {seconds}\n")
    return run(klass=file)[1]


def test_whoever_takes_too_long_keeps_what_was_done_and_costs_nobody_else(run, slow):
    rows = limited(run, 20)  # three exercises: the third begins in time
    assert points(rows) == {"ada": 24, "bob": 3, "cleo": 20}
    assert len(Room.jobs) == 6 + 3 + 5 and slow[0] == pytest.approx(3 * 9.8)
    assert rows["bob"][ids("04")[0]] == "0", "it was handed in"
    said = "kept_04_a, kept_04_b, kept_04_c: not tried: the exercises before it took the 20 s"
    assert said in rows["bob"]["notes"]
    assert "not tried" in (run.out / "learners/bob.html").read_text("utf-8")


def test_nobody_runs_longer_than_the_limit_and_one_exercise(run, slow):
    draw = random.Random(os.environ["MINIGRAD_MOVED"])
    for _ in range(5):
        seconds = draw.randrange(1, 80)
        slow[0] = 0
        Room.jobs.clear()
        limited(run, seconds)
        run(again=True, klass=run.out.parent / "class.toml")
        own = [job for job in Room.jobs if "return 4 * size" in job["cells"][-1]["source"]]
        assert len(own) <= 2 * 6 and slow[0] / 2 < seconds + 9.8


def test_more_time_grades_whoever_ran_out_of_it_and_less_nobody(run, slow):
    limited(run, 20)
    Room.jobs.clear()
    limited(run, 20)
    limited(run, 10)
    assert not Room.jobs
    assert points(limited(run, 600))["bob"] == 6
    assert len(Room.jobs) == 6
    Room.jobs.clear()
    limited(run, 1)
    assert not Room.jobs


def test_without_class_toml_there_is_a_limit_too(run, monkeypatch):
    """All the exercises of the course, 4.9 s in each case, take longer than this."""
    now = [0.0]
    monkeypatch.setattr(Room, "before", staticmethod(lambda job: now.append(now.pop() + 200)))
    monkeypatch.setattr(Room, "worked", staticmethod(lambda: now[0]))
    _, rows = run()
    assert points(rows) == {"ada": 12, "bob": 3, "cleo": 12}, "600 s of 200 s each"
