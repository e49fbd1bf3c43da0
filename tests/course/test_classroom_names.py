"""Names in the books: two of one name are told apart, and all stand where one looks for them."""

import os
import random
import re
import unicodedata

import pytest
from classroom_run import LESSONS, points
from test_classroom_books import COLUMNS, TITLES, case, exercise, record
from test_classroom_grade import finished

from course.classroom import books, misconceptions, naming, overrides, page, report, similar_page
from course.classroom.similar import Found, Pair
from course.classroom.tables import BadFile

NAMES = [
    "Li Wei",
    "li  wei",
    "LI WEI",
    "Li Wei (a)",
    "Li Wei (b)",
    "Ada",
    "Zoë",
    "Zoe\u0308",
    "a",
    "",
]
IDS = ["a", "b", "c", "d", "1203", "x-1", "e_f"]


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


def test_no_two_are_called_the_same_and_who_is_alone_keeps_the_name(draw):
    for _ in range(2000):
        names = {id: draw.choice(NAMES) or id for id in draw.sample(IDS, draw.randrange(1, 7))}
        called = naming.apart(names)
        assert len(set(map(naming.seen, called.values()))) == len(names), names
        taken = {naming.seen(f"{name} ({id})") for id, name in names.items()}
        often = [naming.seen(name) for name in names.values()]
        for id, name in names.items():
            assert called[id] in (name, f"{name} ({id})")
            if often.count(naming.seen(name)) == 1 and naming.seen(name) not in taken:
                assert called[id] == name


def wrong(student, name):
    return record(student, name, bytes=exercise(case("small", 0, 4)))


def test_two_of_one_name_are_told_apart_wherever_several_are_named():
    rows = [wrong("4100007", "Li Wei"), wrong("4100008", "Li Wei"), wrong("4100009", "Ada")]
    book = books.book(rows, COLUMNS, TITLES)
    pair = Pair("4100007", "4100008", 60, 12, [])
    alike = similar_page.page(book, Found([pair]))
    for text in report.gradebook(book), misconceptions.misconceptions(book), alike:
        assert "Li Wei (4100007)" in text and "Li Wei (4100008)" in text
        assert not re.search(r"Li Wei(?! \(41)", text) and "Ada (" not in text
    assert "<h1>Li Wei</h1>" in page.learner(book, book.rows[1]), "their own page is theirs alone"


def test_the_lines_of_a_run_tell_two_of_one_name_apart(run, handed):
    for id, name in ("ada", "11"), ("bob", "12"), ("cleo", "13"):
        (handed / id).rename(handed / f"Li Wei_{name}_assignsubmission_file_")
    run(fail_under=101)
    for id in 11, 12, 13:
        assert re.search(rf"^\d of 3: Li Wei \({id}\) \d+ of 24$", run.said.out, re.MULTILINE)
    assert "3 below 101 %: Li Wei (11); Li Wei (12); Li Wei (13)." in run.said.out


# --- the order -----------------------------------------------------------------------------

ALPHABET = {
    "a": "aáàâäãåāă", "c": "cçćč", "d": "dďđ", "e": "eéèêëęě", "g": "gğ", "i": "iíîïı", "l": "lľł",
    "n": "nñńň", "o": "oóôöõøő", "r": "rř", "s": "sśşš", "t": "tťţ", "u": "uúûüůű", "y": "yý",
    "z": "zźżž",
}  # fmt: skip


def in_other_letters(word, draw):
    """The word with accents, in capitals or not, composed or not."""
    made = "".join(draw.choice(ALPHABET.get(letter, letter)) for letter in word)
    form = draw.choice(["NFC", "NFD"])
    return unicodedata.normalize(form, draw.choice([made, made.title(), made.capitalize()]))


def test_accents_and_capitals_move_nobody(draw):
    for _ in range(300):
        words = ["".join(draw.choices("acdegilnorstuyz", k=draw.randrange(2, 6))) for _ in range(9)]
        words = sorted(set(words))
        given = {str(place): in_other_letters(word, draw) for place, word in enumerate(words)}
        rows = [record(id, given[id]) for id in draw.sample(sorted(given), len(given))]
        made = books.book(rows, COLUMNS, TITLES)
        assert [row.student for row in made.rows] == list(given), given


def test_names_that_teachers_have():
    names = [
        "Zoe",
        "Änne",
        "Émile",
        "Øystein",
        "Łukasz",
        "Ada",
        "Öztürk",
        "Lena",
        "Straße",
        "Strasse",
    ]
    order = [
        "Ada",
        "Änne",
        "Émile",
        "Lena",
        "Łukasz",
        "Øystein",
        "Öztürk",
        "Strasse",
        "Straße",
        "Zoe",
    ]
    assert sorted(names, key=lambda name: (naming.in_order(name), name)) == order


# --- the end of a run ----------------------------------------------------------------------


def test_who_handed_in_other_lessons_only_is_no_trouble(run, handed):
    (handed / "bob" / "04_lesson_04.ipynb").unlink()
    (handed / "ada" / "01_lesson_01.ipynb").write_text("{")
    code, rows = run(lessons=["04"])
    assert code == 0 and points(rows) == {"ada": 12, "bob": 0, "cleo": 12}
    assert "1 handed in nothing of lesson 04: bob." in run.said.out
    assert "could" not in run.said.out, "what of another lesson could not be read is not asked"
    assert rows["bob"]["notes"] == "not handed in: lesson 04" and rows["ada"]["points"] == "12"
    assert "Not handed in." in (run.out / "records/bob.html").read_text("utf-8")


def test_what_could_not_be_read_is_not_called_not_handed_in(run, handed):
    (handed / "bob" / "04_lesson_04.ipynb").write_text('{"cells": [')
    code, rows = run()
    text = (run.out / "learners/bob.html").read_text("utf-8")
    assert "Handed in, and could not be read" in text and "Not handed in" not in text
    assert "1 could be graded only in part; their pages in records/ say why: bob." in run.said.out
    code, _ = run(lessons=["04"])
    assert code == 1 and "1 could not be graded" in run.said.out


def test_an_unreadable_zip_may_hold_any_lesson(run, handed):
    (handed / "cleo" / "more.zip").write_bytes(b"PK")
    for lesson in LESSONS:
        run(lessons=[lesson])
        assert "1 could be graded only in part" in run.said.out and "cleo." in run.said.out


def test_who_handed_in_the_lesson_in_place_of_its_exercises_is_named(run, handed):
    (handed / "bob" / "04_lesson_04.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    code, rows = run()
    assert code == 0 and "1 handed in a notebook without an exercise" in run.said.out
    assert "holds no exercise: hand in exercises/" in rows["bob"]["notes"]
    run(lessons=["01"])
    assert "without an exercise" not in run.said.out


@pytest.mark.parametrize("absent", [0, 1, 5])
def test_after_ctrl_c_only_those_count_who_are_kept(run, handed, monkeypatch, absent):
    file = run.out.parent / "class.toml"
    (run.out.parent / "roster.csv").write_text(
        "student\n" + "".join(f"x{n}\n" for n in range(absent)) + "ada\n"
    )
    file.write_text('[roster]\nfile = "roster.csv"\n')
    finished(monkeypatch, after=8)
    code, rows = run(klass=file)
    assert code == 130 and len(rows) == 1 + absent
    assert "Stopped. 1 of 3 are graded" in run.said.err
    monkeypatch.undo_interrupt()
    run(klass=file)
    assert "1 of 3 kept from the run before." in run.said.out


# --- points of the whole -------------------------------------------------------------------


def by_hand(run, *lines):
    file = run.out / overrides.NAME
    file.write_text("\n".join([",".join(overrides.HEADS), *lines, ""]), "utf-8")


def test_points_of_the_whole_wait_where_fewer_lessons_are_graded(run, draw):
    """12 points are those of one lesson, 24 of both."""
    run()
    for _ in range(12):
        given = draw.randrange(0, 26)
        comment = draw.choice(["", "after our talk"])
        by_hand(run, f"bob,,{given},{comment}", "cleo,,12,")
        lessons = draw.choice([LESSONS, ["01"], ["04"]])
        if given > 24:
            with pytest.raises(BadFile, match="from 0 to 24"):
                run(lessons=lessons)
            continue
        code, rows = run(lessons=lessons)
        waits = given > 12 * len(lessons)
        assert code == 0 and points(rows)["bob"] == (3 * len(lessons) if waits else given)
        sentence = f"more than the 12 of lesson {lessons[0]}, and wait for a run of more lessons"
        assert (f"{sentence}: bob ({given})." in run.said.out) is waits
        assert rows["bob"]["comment"] == comment and points(rows)["cleo"] == 12
