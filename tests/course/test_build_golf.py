"""The points on the map of memory golf are what the known ways cost; their code is elsewhere."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from course.build import golf
from course.build.execute import CellFailed
from course.build.project import Project, work_on
from course.trying import cases
from course.trying import golf as maps

HOLE = """
import minigrad as mg
from course.trying.golf import hole

def make():
    x = mg.full((4, 4), 0.5, requires_grad=True)
    return (x,), {"x": x}

def plain(x):
    return (x @ x).tanh()

hole("putt", "One layer", "99", make, plain)
"""
WAYS = HOLE + 'WAYS = {"putt": {"plain": plain, "dearer": lambda x: plain(x) + x @ x * 0.0}}\n'
WRONG = HOLE + 'WAYS = {"putt": {"plain": plain, "another": lambda x: plain(x) * 2.0}}\n'
LESSON = SimpleNamespace(number="99")


@pytest.fixture
def work(tmp_path):
    (tmp_path / "lessons/ways").mkdir(parents=True)
    (tmp_path / "lessons/ways/golf_99.py").write_text(WAYS)
    with work_on(Project(tmp_path)) as work:
        yield work


def test_what_is_stored_is_measured_and_its_age_is_noticed(work):
    file = work.project.root / golf.path(LESSON)
    missing = f"{golf.path(LESSON)} is missing; run python3 run.py build 99"
    assert asyncio.run(golf.prove(LESSON, work)) == [missing]
    asyncio.run(golf.write_known(LESSON, work))
    assert asyncio.run(golf.prove(LESSON, work)) == []
    found = json.loads(file.read_text())
    (products, size), (more, _) = found["putt"]["plain"], found["putt"]["dearer"]
    assert (products, more) == (3, 6) and size > 0
    found["putt"]["dearer"][1] += 1
    file.write_text(json.dumps(found))
    old = f"{golf.path(LESSON)} is old; run python3 run.py build 99"
    assert asyncio.run(golf.prove(LESSON, work)) == [old]


@pytest.mark.parametrize(
    ("source", "words"),
    [(WRONG, "'another' is no way to play: .* gradient of x"), ("1 / 0", "division by zero")],
)
def test_a_known_way_that_is_not_right_is_not_built(work, source, words):
    golf.source(LESSON, work.project).write_text(source)
    with pytest.raises(CellFailed, match=words):
        asyncio.run(golf.write_known(LESSON, work))


def test_every_map_of_the_course_has_its_points_and_they_begin_with_the_plain_way():
    cases.exercises()
    assert maps._holes
    for hole in maps._holes.values():
        assert golf.played(SimpleNamespace(number=hole.lesson), Project())
        (name, plain), *others = hole.known().items()
        assert others and maps.stroke(hole, hole.plain) == [*plain, ""], name
