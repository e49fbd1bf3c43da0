"""Days late cost what class.toml says, whoever says when the work came; nobody is graded again."""

import os
import random
from datetime import UTC, datetime, timedelta, timezone

import pytest
from classroom_run import Room, points

from course.classroom import late, times
from course.classroom.books import Column, Known, row
from course.classroom.inbox import Submission
from course.classroom.klass import Klass
from course.classroom.learners import Learners
from course.classroom.tables import BadFile

DUE = datetime(2026, 12, 1, 23, 59, tzinfo=timezone(timedelta(hours=1)))
COLUMNS = [Column("a", "01", 4), Column("b", "01", 6, 2), Column("c", "04", 10)]


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


# --- when ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        "%A, %d %B %Y, %I:%M %p",
        "%A, %d %B %Y, %I:%M\u202f%p",
        "%A, %d %B %Y, %H:%M",
        "%A, %B %d, %Y, %I:%M %p",
        "%d %B %Y, %H:%M",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S",
    ],
)
def test_a_time_is_read_as_platforms_write_it(draw, form):
    for _ in range(50):
        when = datetime(2026, 1, 1) + timedelta(minutes=draw.randrange(525_600))
        said = when.strftime(form)
        assert times.moment(said) == when
        assert times.moment(said.replace(" 0", " ")) == when, "Moodle leaves the zero out"


def test_a_time_with_a_zone_keeps_it():
    assert times.moment("2026-12-01T22:59:00Z") == DUE
    assert times.moment("2026-12-01T23:59+01:00") == DUE


@pytest.mark.parametrize("text", ["", "-", "1/12/2026 23:05", "gestern", "Dienstag, 1. Dezember"])
def test_what_could_be_two_times_is_none(text):
    assert times.moment(text) is None


def test_a_minute_late_is_a_day_late(draw):
    for _ in range(200):
        days, rest = draw.randrange(40), timedelta(seconds=draw.randrange(1, 86_400))
        assert times.days_after(DUE, DUE + timedelta(days=days)) == days
        assert times.days_after(DUE, DUE + timedelta(days=days) + rest) == days + 1
        assert times.days_after(DUE, DUE - timedelta(days=days) - rest) == 0
        there = DUE + timedelta(days=days)
        assert times.days_after(DUE, there.astimezone(UTC)) == days
        assert times.days_after(DUE, there.replace(tzinfo=None)) == days, "in the zone of due"
        assert times.days_after(DUE.replace(tzinfo=None), there) == days


def test_a_day_is_meant_to_its_end():
    due = late.late("", {"due": DUE.date()}).due[late.ALL]
    assert times.days_after(due, datetime(2026, 12, 1, 23, 59, 59)) == 0
    assert times.days_after(due, datetime(2026, 12, 2)) == 1


# --- what it costs -------------------------------------------------------------------------


def lateness(rules, days, points):
    """The row of a learner with the points {exercise: points or None}."""
    exercises = {
        id: {
            "points": n or 0,
            "of": 10,
            "cases": [] if n is None else [1],
            "notes": [],
            "flags": [],
        }
        for id, n in points.items()
    }
    record = {"student": "ada", "name": "", "notes": [], "exercises": exercises}
    there = {c.lesson for c in COLUMNS if points[c.exercise] is not None}
    return row(record, COLUMNS, Known(late=tuple(rules.counted(days, there))))


def drawn(draw):
    days = {lesson: draw.randrange(6) for lesson in draw.choice([[late.ALL], ["01", "04"]])}
    rules = late.Late(draw.randrange(4), draw.choice([0, 5, 12.5, 40]), draw.choice([0, 50, 100]))
    had = {"a": draw.randrange(5), "b": draw.randrange(7), "c": draw.choice([None, 0, 5, 10])}
    return rules, days, had


def test_late_days_in_all_their_kinds(draw):
    for _ in range(500):
        rules, days, had = drawn(draw)
        found = lateness(rules, [late.Days(*it) for it in days.items()], had)
        before = had["a"] + 2 * had["b"] + (had["c"] or 0)
        theirs = {lesson: n for lesson, n in days.items() if lesson != "04" or had["c"] is not None}
        assert found.late == max(0, sum(theirs.values()) - rules.free_days)
        assert found.total == pytest.approx(before - found.taken, abs=0.011)
        assert 0 <= found.taken <= before * rules.at_most / 100 + 0.005
        if found.late == 0 or not rules.percent_per_day:
            assert found.taken == 0
        if late.ALL in days:
            percent = min(rules.at_most, found.late * rules.percent_per_day)
            assert found.taken == pytest.approx(before * percent / 100, abs=0.006)


def test_a_day_more_never_gives_a_point_and_a_free_day_never_takes_one(draw):
    for _ in range(300):
        rules, days, had = drawn(draw)
        some = [late.Days(*it) for it in days.items()]
        place = draw.randrange(len(some))
        more = [late.Days(one.lesson, one.days + (n == place)) for n, one in enumerate(some)]
        kinder = late.Late(rules.free_days + 1, rules.percent_per_day, rules.at_most)
        now = lateness(rules, some, had).total
        assert lateness(rules, more, had).total <= now <= lateness(kinder, some, had).total


def test_free_days_go_to_what_was_due_first():
    rules = late.Late(3, 10, due={"04": DUE, "01": DUE - timedelta(days=2)})
    came = rules.late("ada", DUE + timedelta(days=2))
    assert came == [late.Days("01", 4), late.Days("04", 2)]
    assert rules.counted(came, {"01", "04"}) == [late.Days("01", 1, 10), late.Days("04", 2, 20)]
    assert rules.counted(came, {"04"}) == [late.Days("04", 0, 0)], "01 was not handed in"


def zone(draw):
    return timezone(timedelta(hours=draw.randrange(-11, 13)))


def test_in_whatever_zone_it_is_written_what_was_due_first_is_first(draw):
    for _ in range(300):
        due = {id: DUE + timedelta(hours=draw.randrange(60)) for id in ("01", "04", "05")}
        came = DUE + timedelta(hours=draw.randrange(90))
        written = {id: when.astimezone(zone(draw)) for id, when in due.items()}
        wanted = late.Late(due=due).late("ada", came)
        assert late.Late(due=written).late("ada", came.astimezone(zone(draw))) == wanted
        bare = {id: when.replace(tzinfo=None) for id, when in due.items()}
        assert late.Late(due=bare).late("ada", came.replace(tzinfo=None)) == wanted
        mixed = bare | {"05": due["05"]}
        assert late.Late(due=mixed).late("ada", came) == wanted, "in the zone of the time"
        mixed = due | {"05": bare["05"]}
        assert late.Late(due=mixed).late("ada", came.replace(tzinfo=None)) == wanted


def test_what_is_said_by_hand_goes_before_the_time():
    rules = late.late("", {"due": DUE, "days": {"ada": 1, "bob": {"04": 3}}})
    came = DUE + timedelta(days=9)
    assert rules.late("ada", came) == [late.Days(late.ALL, 1)]
    assert rules.late("bob", came) == [late.Days("04", 3)]
    assert rules.late("cleo", came) == [late.Days(late.ALL, 9)]
    assert rules.late("cleo", None) == []


# --- who is asked about --------------------------------------------------------------------


def remarks(tmp_path, rules, said="", **more):
    file = tmp_path / "roster.csv"
    file.write_text(f"student,handed_in\nada,{said}\n")
    return Learners(Klass(roster=file, late=rules), [Submission("ada", "", **more)]).known("ada")


def test_a_late_file_without_a_time_asks_for_the_days(tmp_path):
    rules = late.Late(due={late.ALL: DUE})
    assert remarks(tmp_path, rules, late=True).remarks == (
        "handed in late, says the file's name: write the days below [late.days]",
    )
    assert not remarks(tmp_path, rules, "2026-12-01", late=True).remarks
    by_hand = late.Late(days={"ada": {late.ALL: 2}})
    assert not remarks(tmp_path, by_hand, late=True).remarks
    assert remarks(tmp_path, by_hand, late=True).late == ()


def test_a_time_that_cannot_be_read_is_said(tmp_path):
    rules = late.Late(due={late.ALL: DUE})
    assert "cannot be read" in remarks(tmp_path, rules, "1/12/26").remarks[0]
    assert not remarks(tmp_path, late.Late(), "1/12/26").remarks, "nobody asked when"
    assert not remarks(tmp_path, rules, "-").remarks


@pytest.mark.parametrize("due", ["2026-12-01T23:59:00", "2026-12-01"])
def test_a_zone_that_is_lacking_is_said(tmp_path, due):
    rules = late.Late(due={late.ALL: times.end(datetime.fromisoformat(due))})
    (said,) = remarks(tmp_path, rules, "2026-12-01T23:30:00Z").remarks
    assert "a time with a zone" in said and "write it" in said
    assert not remarks(tmp_path, rules, "2026-12-01T23:30:00").remarks
    assert not remarks(tmp_path, late.Late(due={late.ALL: DUE}), "2026-12-01T23:30:00Z").remarks
    by_hand = late.Late(due=rules.due, days={"ada": {late.ALL: 2}})
    assert not remarks(tmp_path, by_hand, "2026-12-01T23:30:00Z").remarks


# --- in the whole command ------------------------------------------------------------------

CLASS = """
[roster]
file = "roster.csv"
[late]
due = 2026-12-01T23:59:00+01:00
free_days = 1
percent_per_day = 10
"""
ROSTER = (
    "Identifier,Full name,Status,Last modified (submission)\n"
    'Participant 1,ada,s,"Tuesday, 1 December 2026, 11:58 PM"\n'
    'Participant 2,bob,s,"Saturday, 5 December 2026, 12:01 AM"\n'
    'Participant 3,cleo,s,"Wednesday, 2 December 2026, 8:00 AM"\n'
    "Participant 4,dora,No submission,-\n"
)


def test_the_class_pays_for_its_days_and_nobody_is_graded_again(run, tmp_path):
    run()
    Room.jobs.clear()
    (tmp_path / "roster.csv").write_text(ROSTER)
    file = tmp_path / "class.toml"
    file.write_text(CLASS)
    _, rows = run(klass=file)
    assert points(rows) == {"ada": 24, "bob": 4.2, "cleo": 20, "4": 0}
    assert [rows["bob"][k] for k in ("late", "taken", "percent")] == ["3", "1.8", "17.5"]
    assert {rows[k]["late"] for k in ("ada", "cleo", "4")} == {"0"}
    assert "1 late" in run.said.out
    file.write_text(CLASS + "[late.days]\ncleo = 2\n")
    assert points(run(klass=file)[1])["cleo"] == 18
    assert not Room.jobs


def test_days_of_nobody_are_a_sentence(run, tmp_path):
    (tmp_path / "class.toml").write_text("[late.days]\nbobb = 2\n")
    with pytest.raises(BadFile, match=r"\[late.days\]: there is no bobb; did you mean bob\?"):
        run(klass=tmp_path / "class.toml")
    assert not Room.jobs
