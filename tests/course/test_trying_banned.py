"""What an exercise asks to be written cannot be called ready-made, and its card says so."""

import contextlib
import pkgutil
import random
import re
import signal
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

import course
import minigrad as mg
from course.build.products import exercise_ids
from course.exam import nets
from course.trying import banned
from course.trying.cases import Case, exercises
from course.trying.judge import judge
from course.trying.run import run_case
from course.trying.stopwatch import Overdue, alarm
from minigrad.utils import checkpoint
from tests.loaded import COURSE

ROOT = Path(__file__).resolve().parents[2]
BAN = banned.without
READY = checkpoint.checkpoint  # as an answer may have it that imported it


@pytest.fixture
def ban(monkeypatch):
    exercises()  # they bring bans of their own
    monkeypatch.setattr(banned, "_bans", {})
    banned.ban("putt", "minigrad.utils.checkpoint", "`checkpoint`")


def run(function):
    return run_case(Case("putt", "a case", lambda f, draw: f()), function, "any")


def ready():
    return READY(lambda h: h * 2.0, mg.ones(2), use_reentrant=False).tolist()


def by_its_class():
    return checkpoint.CheckpointFunction.apply(lambda h: h * 2.0, None, mg.ones(2)).tolist()


@pytest.mark.parametrize("way", [ready, by_its_class])
def test_what_is_banned_is_refused_wherever_the_name_is_kept(ban, way):
    found = run(way)
    assert (found["error"], "value" in found) == ("Banned", False)
    verdict = judge(Case("putt", "a case", way, hint="Another."), found, {"value": [2.0, 2.0]})
    assert verdict.points == 0 and verdict.hint == found["text"]
    assert verdict.hint.startswith("`checkpoint` is banned in this exercise")


def test_outside_of_the_case_and_in_another_exercise_it_works(ban):
    run(ready)
    assert ready() == [2.0, 2.0]
    case = Case("another", "a case", lambda f, draw: f())
    assert run_case(case, ready, "any")["value"] == [2.0, 2.0]


def test_an_alarm_in_any_line_of_a_ban_leaves_none_behind(ban):
    with_more = Case("putt", "a case", banning_more)
    for ringing in range(1, 1000):
        lines = iter(range(1, ringing))
        sys.settrace(lambda frame, event, arg: tracer(frame, lines))  # noqa: B023
        try:
            run_case(with_more, lambda: 1.0, "any")
        finally:
            sys.settrace(None)
        assert ready() == [2.0, 2.0] and of_the_exam()
        if next(lines, None) is not None:  # it never rang
            break
    assert ringing > 10


def test_an_alarm_at_any_moment_leaves_no_ban_and_no_timer(ban):
    """Two timers that ring at once, or while the other is unwinding, and as the block ends."""
    for _ in range(1500):
        seconds, patience = random.uniform(1e-5, 4e-3), random.choice([0.99, 1, 1.01])
        end = time.perf_counter() + random.uniform(0, 4e-3)
        with contextlib.suppress(Overdue), banned.refused("putt"), alarm(seconds, patience):
            with banned.without(("minigrad.utils.rng", "`mg.utils.rng`")):
                while time.perf_counter() < end:
                    pass
        assert not banned._replaced
        assert (
            signal.getitimer(signal.ITIMER_PROF)[0] == 0 == signal.getitimer(signal.ITIMER_REAL)[0]
        )


def banning_more(f, draw):
    with banned.without(("minigrad.utils.rng", "`mg.utils.rng`")):
        return f()


def tracer(frame, lines):
    """Raise Overdue once `lines` are over, counted where bans are set and the alarm is on."""

    def line(frame, event, arg):
        on = event == "line" and signal.getitimer(signal.ITIMER_PROF)[0]
        if on and next(lines, None) is None:
            raise Overdue
        return line

    return line if frame.f_code in (BAN.__enter__.__code__, BAN.__exit__.__code__) else None


def of_the_exam():
    return nets.halves(mg.ones(1, 8))[0].tolist()


def test_what_no_exercise_needs_is_refused_in_all_of_them(ban):
    assert run(of_the_exam)["error"] == "Banned" and of_the_exam()


PARTS_OF_THE_COURSE = {  # and no lesson's: they build, grade, show and measure
    *"attempt beside build carry cases classroom cli grade here jitter play predict".split(),
    *"proof recorded sandbox site trying truth twin".split(),
}


def test_what_no_lesson_with_exercises_imports_is_refused_in_every_exercise():
    """A module that is no part of the course's machinery is for such a lesson, or is refused."""
    top = {module.name for module in pkgutil.iter_modules(course.__path__)}
    lessons = [ROOT / "lessons" / f"{one.name}.py" for one in COURSE if exercise_ids(one)]
    needed, new = set(), [file.read_text("utf-8") for file in lessons]
    while new:
        names = set().union(*map(imported, new)) & top - needed
        needed |= names
        new = [text for name in names for text in sources(name)]
    refused = {package.removeprefix("course.") for package, _ in banned.EVERYWHERE}
    assert top - needed - PARTS_OF_THE_COURSE == refused


def imported(text):
    """The parts of the course that this imports."""
    found = set(re.findall(r"(?:from|import) course\.(\w+)", text))
    for names in re.findall(r"from course import ([\w, ]+)", text):
        found |= {*names.split(", ")}
    return found


def sources(name):
    place = Path(course.__path__[0])
    files = [*place.glob(f"{name}.py"), *(place / name).rglob("*.py")]
    return [file.read_text("utf-8") for file in files]


def test_an_answer_that_goes_on_without_it_is_no_worse(ban):
    def careful():
        try:
            return ready()
        except Exception:
            return [3.0]

    assert run(careful)["value"] == [3.0]


def test_a_ban_is_of_an_exercise_and_of_code_that_is_there_and_its_card_says_so():
    known = {id for ids in exercises().values() for id in ids}
    cards = {
        id: lesson.of("card", id)[0].source for lesson in COURSE for id in exercise_ids(lesson)
    }
    assert banned.bans() and set(banned.bans()) <= known
    for exercise, bans in banned.bans().items():
        for package, shown in bans:
            import_module(package)
            assert banned._functions(package), package
            card = " ".join(cards[exercise].split())
            assert shown in re.search(r"Banned here: (.*?)\.(?: |$)", card)[1], exercise
