"""What a learner gets back cannot be handed in: every case of the course, and the whole command."""

import json
import os
from pathlib import Path

import pytest
from classroom_copied import altered, nearly, rows, values

from course.classroom import books, grade, marking, page, records, syllabus
from course.classroom.reference import References
from course.sandbox.room import Room
from course.sandbox.watch import Limits
from course.trying import cases, judge

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")
ROOT = Path(__file__).resolve().parents[2]
LESSONS = syllabus.lessons(ROOT)
COLUMNS = [books.Column(id, one.lesson, syllabus.points(id)) for one in LESSONS for id in one.stubs]
RUBBISH = {
    "nothing": lambda want: None,
    "zero": lambda want: 0,
    "true": lambda want: True,
    "an empty list": lambda want: [],
    "a text": lambda want: "x",
    "one part wrong": nearly,
    "all parts wrong": altered,
}


@pytest.fixture(scope="module")
def references():
    with References(LESSONS, False, []) as ready:
        yield ready


@pytest.fixture(scope="module")
def rounds(references):
    """What the solutions give in two rounds of one learner."""
    return references.outcomes("a round"), references.outcomes("the next")


def test_solutions_in_one_process_give_what_they_give_alone(references, rounds):
    with Room() as room:
        for exercise, (_, cells, _) in references._solutions.items():
            alone = room.run({"exercise": exercise, "cells": cells, "seed": "the next"})
            given = {case: outcome["value"] for case, outcome in alone["outcomes"].items()}
            wanted = {case: outcome["value"] for case, outcome in rounds[1][exercise].items()}
            assert given == wanted


def test_a_learner_on_another_processor_gets_the_same_marks(references, rounds, tmp_path):
    seed, lost = os.environ["MINIGRAD_MOVED"], []
    moved = tmp_path / "moved.py"
    moved.write_text(f"from course import jitter\n\njitter.start({seed!r})\n")
    longer = Limits(seconds=60)  # each product is looked at, number by number
    with Room(load=[moved], limits=longer) as room:
        for exercise, (_, cells, _) in references._solutions.items():
            job = {"exercise": exercise, "cells": cells, "seed": "the next"}
            outcomes, wanted = room.run(job)["outcomes"], rounds[1][exercise]
            found = judge.verdicts(cases.of(exercise), outcomes, wanted)
            lost += [(exercise, verdict) for verdict in found if not verdict.passed]
    assert not lost, seed


# --- case by case --------------------------------------------------------------------------


def shown(made, own, wanted):
    """The rows that a page `made` shows to somebody whose code gave `own` where this is wanted."""
    exercises = {}
    for column in COLUMNS:
        given = {case: {"value": own(o["value"])} for case, o in wanted[0][column.exercise].items()}
        known = cases.of(column.exercise)
        found = judge.verdicts(known, given, wanted[1][column.exercise], marking.readable)
        row = {"points": 0, "of": 1, "notes": [], "flags": []}
        exercises[column.exercise] = row | {"cases": [verdict.as_dict() for verdict in found]}
    record = {"student": "eve", "name": "Eve", "notes": [], "exercises": exercises}
    book = books.book([record], COLUMNS, {})
    return rows(made(book, book.rows[0]))


def won(made, own, one, two):
    """The points that what is on the page of one round is worth in the next, by case.

    A value that stands there too if something else was expected tells nothing.
    """
    other = {
        id: {case: it | {"value": altered(it["value"], 2)} for case, it in outcomes.items()}
        for id, outcomes in one.items()
    }
    page, control = shown(made, own, (one, one)), shown(made, own, (one, other))
    points = {}
    for (exercise, name), row in page.items():
        case = next(case for case in cases.of(exercise) if case.name == name)
        known = set(map(repr, values(control.get((exercise, name), ""))))
        found = [{"value": value} for value in values(row) if repr(value) not in known]
        if not case.waits and any(
            judge.judge(case, it, two[exercise][name]).passed for it in found
        ):
            points[exercise, name] = case.points
    return points


@pytest.mark.parametrize("own", RUBBISH)
def test_no_page_of_a_learner_tells_what_is_right_in_the_next_round(own, rounds):
    assert won(page.learner, RUBBISH[own], *rounds) == {}


def test_whoever_sees_what_was_expected_could_hand_it_in(rounds):
    """The reader above can read: the teacher's page gives points away, of that round alone.

    It tells of one draw of each case, and cuts what is long: a third of the points can be read.
    """
    one, two = rounds
    known = [case for column in COLUMNS for case in cases.of(column.exercise)]
    single = sum(case.points for case in known if case.draws == 1 and not case.waits)
    assert 3 * sum(won(page.teacher, RUBBISH["nothing"], one, one).values()) > single
    assert won(page.teacher, RUBBISH["nothing"], one, two) == {}


# --- the whole command ---------------------------------------------------------------------

FIRST = "def {id}(*given, **named):\n    return given[0] if given else 0\n"
THEN = """
calls = [0]
def {id}(*given, **named):
    calls[0] += 1
    return {values}[min(calls[0], {count}) - 1]
"""


def hand_in(folder, answer):
    """All exercise notebooks, with `answer(exercise)` in the place of each stub."""
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in LESSONS:
        made = json.loads((ROOT / "exercises" / lesson.file).read_text("utf-8"))
        for cell in made["cells"]:
            mark = cell["metadata"].get("minigrad", {})
            if mark.get("role") == "answer":
                cell["source"] = answer(mark["exercise"])
        (folder / lesson.file).write_text(json.dumps(made), "utf-8")


def graded(handed, out):
    """{exercise: points} of the one learner, and the page that the learner gets."""
    grade.grade(grade.Options(handed, out, "s", isolate=False))
    record = records.last(out, "eve")
    points = {id: exercise["points"] for id, exercise in record["exercises"].items()}
    return points, records.page(out, "eve").read_text("utf-8")


def copied(said, exercise):
    """An answer that gives, call after call, what the rows of its exercise say first."""
    found = [values(row)[:1] for (id, _), row in said.items() if id == exercise]
    read = [value for some in found for value in some] or [0]
    return THEN.format(id=exercise, values=read, count=len(read))


def test_what_was_read_on_the_page_is_handed_in_and_gains_nothing(tmp_path):
    hand_in(tmp_path / "in/eve", lambda exercise: FIRST.format(id=exercise))
    before, text = graded(tmp_path / "in", tmp_path / "out")
    said = rows(text)
    assert len(said) > 200, "most cases are wrong, and the page says so"
    hand_in(tmp_path / "in/eve", lambda exercise: copied(said, exercise))
    after, _ = graded(tmp_path / "in", tmp_path / "out")
    assert {id: n for id, n in after.items() if n > before[id]} == {}
    assert records.last(tmp_path / "out", "eve")["round"] == 2
    apart(tmp_path / "out")


def apart(out):
    """What may be given back lies in a folder of its own; no other file tells the seed."""
    assert [file.name for file in (out / records.LEARNERS).iterdir()] == ["eve.html"]
    assert "<th>expected" not in records.page(out, "eve").read_text("utf-8")
    assert "<th>expected" in records.path(out, "eve", "html").read_text("utf-8")
    assert not [file for file in out.glob("grades.*") if '"seed"' in file.read_text("utf-8-sig")]
