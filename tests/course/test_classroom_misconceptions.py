"""The same mistake is one row, whatever was drawn; what waits is none."""

import random
import re
from functools import cache
from pathlib import Path

import pytest
from answers import answers
from hypothesis import given
from hypothesis import strategies as st
from test_classroom_books import COLUMNS, case, exercise, record

from course.classroom import answers as cells
from course.classroom import books, misconceptions, records, syllabus
from course.trying import cases, run
from course.trying.judge import verdicts

ROOT = Path(__file__).resolve().parents[2]
SEEDS = [f"{random.randrange(10**9)}" for _ in range(20)]  # other ones each time
DRAWN = "what_a_write_does", "graph_bytes", "held_by_op", "nodes_that_ran", "where_it_stops"
WRONG = [
    one
    for lesson in ("05", "06", "07", "09")
    for one in answers(lesson)
    if one.kind == "wrong" and one.exercise in DRAWN
]


def defined(sources, name):
    made = {"__name__": "__main__"}
    for source in sources:
        exec(compile(source, name, "exec"), made)
    return made[name]


def given_by(function, name):
    return [run.run_all(cases.of(name), function, seed) for seed in SEEDS]


@cache
def lesson_of(number):
    return next(one for one in syllabus.lessons(ROOT) if one.lesson == number)


@cache
def wanted(number, name):
    lesson = lesson_of(number)
    own, _ = cells.cells_for(syllabus.solution(lesson), name, lesson.setup)
    return given_by(defined([cell["source"] for cell in own], name), name)


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_the_same_mistake_under_twenty_seeds_is_one_row(wrong):
    """Among all that is said to a wrong answer, the hint that it was made for."""
    name = wrong.exercise
    function = defined([lesson_of(wrong.lesson).setup, wrong.source], name)
    known = cases.of(name)
    said = {}
    for got, want in zip(given_by(function, name), wanted(wrong.lesson, name), strict=True):
        for verdict in verdicts(known, got, want):
            if wrong.says in verdict.hint:
                said.setdefault(verdict.case, set()).add(verdict.hint)
    assert said, SEEDS
    for hints in said.values():
        rows = [
            record(str(n), "", bytes=exercise(case("c", 0, 4, hint=h))) for n, h in enumerate(hints)
        ]
        found = misconceptions.hints(COLUMNS[0], books.book(rows, COLUMNS, {}).rows)
        assert [len(told.learners) for told in found] == [len(hints)], (SEEDS, hints)


NUMBERS = st.one_of(
    st.integers(-9999, 10**6).map("{:,}".format), st.floats(-99, 99).map("{:.3g}".format)
)
SHAPES = st.lists(st.integers(1, 99), min_size=1, max_size=4).map(lambda s: " x ".join(map(str, s)))
LISTS = st.lists(st.integers(-9, 99), max_size=5).map(str)
NAMES = st.text("abcdefgh_ .+", min_size=1, max_size=20).map("'{}'".format)
PROGRAMS = st.text("abcdefgh_ .+[]=*", min_size=1, max_size=30).map("`{}`: ".format)
FILLED = {
    "{} B are counted twice": NUMBERS,
    "Your function returned a list of {}, expected another": SHAPES,
    "You gave {} instead of the one in order": LISTS,
    "With {} the gradient is another": NAMES,
    "{}which of these arrows does the node let go?": PROGRAMS,
    "On {} U and labels it ended. Do the sum, before you run, of what your way needs, and of what "
    "`labels` and the loss leave of `size`.": NUMBERS,
    "Your test refuses {}. Does it hold bytes itself that it counts, or ask for more digits than "
    "float32 has?": st.text("abcdefgh ", min_size=1),
}


@given(
    st.sampled_from(sorted(FILLED)).flatmap(lambda t: st.tuples(st.just(t), FILLED[t], FILLED[t]))
)
def test_whatever_is_drawn_the_sentence_is_one(filled):
    template, one, other = filled
    assert misconceptions.masked(template.format(one)) == misconceptions.masked(
        template.format(other)
    )


def test_sentences_that_differ_in_words_stay_apart():
    known = {hint for id in DRAWN for one in cases.of(id) if isinstance(hint := one.hint, str)}
    said = {*known, *FILLED, "A view is kept.", "A copy is kept.", "`t`: a view", "`t`: a copy"}
    assert len({misconceptions.masked(hint) for hint in said}) == len(said)


def test_what_waits_is_no_misconception_and_what_was_not_tried_comes_last():
    waiting = case("cost", 0, hint="This counts once 'values' is right.") | {"waits": True}
    stub = case("small", 0, got="not written yet", hint="", line="")
    rows = [record(str(n), "", bytes=exercise(stub, waiting)) for n in range(3)]
    rows.append(record("9", "", bytes=exercise(case("small", 0, hint="A view is kept."), waiting)))
    book = books.book([records.short(row) for row in rows], COLUMNS, {})
    assert [told.hint for told in misconceptions.hints(COLUMNS[0], book.rows)] == [
        "A view is kept.", "not written yet",
    ]  # fmt: skip
    assert "This counts once" not in misconceptions.misconceptions(book)


def test_the_courses_own_sentences_with_holes_are_known():
    known = [blank for _, blank in misconceptions.templates()]
    assert len(known) > 8
    assert all(re.search(r"[a-z].*\u2026|\u2026.*[a-z]", blank) for blank in known)
