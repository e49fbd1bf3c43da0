"""What the teacher writes by hand is kept over rounds and changes the books: nobody is regraded."""

import csv
import io
import json
import os
import random

import pytest
from classroom_made import HALF, hand_in
from classroom_run import FIRST, FULL, LESSONS, Room, points

from course.classroom import overrides
from course.classroom.books import Column, Known, Override, harmless, row
from course.classroom.late import Days
from course.classroom.tables import BadFile

EXERCISES = {"bytes": 4, "alive": 2}


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


def read(file, students=("ada", "bob"), of=6):
    return overrides.read(file, dict.fromkeys(students, ""), EXERCISES, of)


# --- the file ------------------------------------------------------------------------------


def test_it_is_made_with_its_headings_and_never_again(tmp_path):
    file = tmp_path / "overrides.csv"
    assert read(file) == {}
    assert file.read_text("utf-8-sig") == "student,exercise,points,comment\n"
    file.write_text("student,exercise,points,comment\nada,bytes,3,seen\n")
    before = file.read_bytes()
    assert read(file) == {"ada": {"bytes": Override(3, "seen")}}
    assert file.read_bytes() == before


TEXTS = ["well, nearly", 'a "quote"', "zwei; drei", "two\nlines", "Größe", "=1+1", "'"]


def test_what_a_spreadsheet_writes_comes_back_as_it_was(tmp_path, draw):
    students = ["ada", "Émile", "=evil", "o'brian", "12345"]
    for turn in range(60):
        wanted: dict = {}
        for student in draw.sample(students, draw.randrange(1, 6)):
            for exercise in draw.sample([*EXERCISES, ""], draw.randrange(1, 4)):
                most = EXERCISES.get(exercise, 6)
                given = draw.choice([None, 0, most, draw.randrange(0, 4 * most) / 4])
                comment = draw.choice(TEXTS if given is None else [*TEXTS, ""])
                wanted.setdefault(student, {})[exercise] = Override(given, comment)
        file = tmp_path / f"{turn}.csv"
        written(file, wanted, draw)
        assert read(file, students) == wanted


def written(file, wanted, draw):
    out, between = io.StringIO(), draw.choice(",;\t")
    write = csv.writer(out, delimiter=between, lineterminator=draw.choice(["\n", "\r\n"])).writerow
    write(draw.choice([overrides.HEADS, [head.title() for head in overrides.HEADS]]))
    lines = [(s, e, it) for s, own in wanted.items() for e, it in own.items()]
    for student, exercise, it in draw.sample(lines, len(lines)):
        given = "" if it.points is None else str(it.points)
        given = given.replace(".", ",") if between != "," else given
        write([draw.choice([student, harmless(student)]), exercise, given, it.comment])
    file.write_bytes(out.getvalue().encode(draw.choice(["utf-8", "utf-8-sig", "utf-16"])))


def test_a_comment_with_a_comma_needs_no_quotes(tmp_path):
    file = tmp_path / "o.csv"
    file.write_text("student,exercise,points,comment\nada,,,good, but late, too\nbob,bytes,1\n")
    assert read(file) == {
        "ada": {"": Override(None, "good, but late, too")},
        "bob": {"bytes": Override(1, "")},
    }


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("adda,bytes,1,", "there is no adda; did you mean ada?"),
        (",bytes,1,", "line 4 names no student"),
        ("ada,byte,1,", "there is no byte; did you mean bytes?"),
        ("ada,bytes,5,", "points = 5, but they are a number from 0 to 4"),
        ("ada,,7,", "points = 7, but they are a number from 0 to 6"),
        ("ada,bytes,-1,", "a number from 0 to 4"),
        ("ada,bytes,nan,", "a number from 0 to 4"),
        ("ada,bytes,1e0,", "a number from 0 to 4"),
        ("ada,bytes,,", "neither points nor a comment"),
        ("ada,bytes,1,\nada,bytes,2,", "line 5 is about the same as line 4"),
        ("Ada Lovelace,bytes,1,", "write ada for Ada Lovelace"),
    ],
)
def test_a_mistake_is_a_sentence_with_its_line_and_nothing_is_lost(tmp_path, line, sentence):
    file = tmp_path / "o.csv"
    file.write_text(f'student,exercise,points,comment\nbob,bytes,1,"a\nb"\n{line}\n')
    before = file.read_bytes()
    with pytest.raises(BadFile) as told:
        overrides.read(file, {"ada": "Ada Lovelace", "bob": ""}, EXERCISES, 6)
    assert sentence in str(told.value)
    assert f"{file} line {5 if 'line 5' in sentence else 4}" in str(told.value)
    assert str(told.value).endswith((".", "?")) and file.read_bytes() == before


def test_headings_of_another_file(tmp_path):
    file = tmp_path / "o.csv"
    file.write_text("ada,bytes,1,\n")
    with pytest.raises(BadFile, match="line 1: write student,exercise,points,comment there"):
        read(file)


# --- what it changes -----------------------------------------------------------------------

COLUMNS = [Column("bytes", "01", 4), Column("alive", "01", 2, 3)]


def changed(given, late=()):
    exercise = {"points": 1, "of": 4, "cases": [{}], "notes": [], "flags": []}
    record = {"student": "ada", "name": "", "notes": [], "exercises": {"bytes": exercise}}
    return row(record, COLUMNS, Known(overrides=given, late=late))


def test_points_by_hand_go_before_what_was_earned_and_are_weighed_alike():
    assert changed({}).total == 1
    found = changed({"bytes": Override(4, ""), "alive": Override(1.5, "")})
    assert found.points == {"bytes": 4, "alive": 1.5} and found.total == 8.5
    assert changed({"bytes": Override(None, "seen")}).points == {"bytes": 1, "alive": None}


def test_points_about_the_whole_are_the_last_word():
    found = changed({"": Override(9, "by word of mouth")}, (Days("", 2, 50),))
    assert (found.total, found.percent, found.taken, found.late) == (9, 90, 0, 2)
    assert changed({"": Override(None, "seen")}, (Days("", 2, 50),)).total == 0.5


def test_comments_are_said_together_the_whole_first():
    given = {"bytes": Override(1, "see line 3"), "": Override(None, "good"), "x": Override(1, "")}
    assert changed(given).comment == "good | bytes: see line 3"


# --- in the whole command ------------------------------------------------------------------


def by_hand(run, *lines):
    file = run.out / "overrides.csv"
    file.write_text("\n".join([",".join(overrides.HEADS), *lines, ""]), "utf-8")


def test_an_override_is_kept_over_rounds_and_grades_nobody_again(run, handed):
    run()
    by_hand(run, f"bob,{FIRST},4,a slip", "bob,,,=well done", "cleo,,12.5,")
    Room.jobs.clear()
    _, rows = run()
    assert points(rows) == {"ada": 24, "bob": 9, "cleo": 12.5} and not Room.jobs
    assert rows["bob"][FIRST] == "4" and rows["bob"]["comment"] == f"'=well done | {FIRST}: a slip"
    assert "2 changed by hand" in run.said.out
    learners = json.loads((run.out / "grades.json").read_text("utf-8"))["learners"]
    assert learners[1]["comment"] == f"=well done | {FIRST}: a slip"
    hand_in(handed / "bob", FULL | {FIRST: HALF, "x": HALF}, LESSONS)
    assert points(run()[1]) == {"ada": 24, "bob": 24, "cleo": 12.5}
    run(again=True)
    assert (run.out / "overrides.csv").read_text("utf-8").count("\n") == 4


def test_a_wrong_line_is_said_before_anybody_is_graded(run):
    run()
    by_hand(run, f"bob,{FIRST},5,")
    before = {file: file.read_bytes() for file in run.out.rglob("*") if file.is_file()}
    Room.jobs.clear()
    with pytest.raises(BadFile, match="overrides.csv line 2: points = 5"):
        run(again=True)
    assert not Room.jobs
    assert before == {file: file.read_bytes() for file in run.out.rglob("*") if file.is_file()}


def test_lines_about_others_and_other_lessons_stay_and_do_nothing(run, handed):
    run()
    by_hand(run, f"cleo,{FIRST},4,", f"bob,{FIRST},0,")
    (handed / "cleo").rename(handed / "dora")
    assert points(run(lessons=["04"])[1]) == {"ada": 12, "bob": 3, "dora": 12}
    (handed / "dora").rename(handed / "cleo")
    assert points(run()[1]) == {"ada": 24, "bob": 5, "cleo": 24}
