"""class.toml: what it says is what counts, and a mistake in it is one sentence with the remedy."""

import os
import random
import re
from pathlib import Path

import pytest
from classroom_made import hand_in, ids
from classroom_run import FIRST, FULL, LESSONS, Room, points

from course.classroom import klass
from course.classroom.tables import BadFile


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


COURSE = {"01": ["bytes", "alive"], "04": ["freed"]}
DOC = (Path(__file__).parents[2] / "docs/class.toml.md").read_text("utf-8")


def read(tmp_path, text):
    file = tmp_path / "class.toml"
    file.write_text(text)
    (tmp_path / "roster.csv").write_text("student\nada\n")
    (tmp_path / "mine").mkdir(exist_ok=True)
    found = klass.read(file)
    found.require_places(COURSE, ["16"])
    found.require_lessons(COURSE, ["16"])
    return found, found.factors(COURSE)


# --- what it says --------------------------------------------------------------------------


def test_an_empty_one_is_as_none(tmp_path):
    found, factors = read(tmp_path, "")
    assert found == klass.Klass(tmp_path / "class.toml")
    assert factors == {"bytes": 1, "alive": 1, "freed": 1}


def test_an_exercise_goes_before_its_lesson_and_a_lesson_before_the_rest(tmp_path):
    text = '[weights]\nother = 0\n[weights.lessons]\n"01" = 2\n[weights.exercises]\nalive = 0.5\n'
    assert read(tmp_path, text)[1] == {"bytes": 2, "alive": 0.5, "freed": 0}


def test_files_are_meant_from_the_folder_of_class_toml(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    text = 'private = "mine"\nseconds_per_learner = 90\n[roster]\nfile = "roster.csv"\n'
    found, _ = read(tmp_path, text)
    assert found.roster == tmp_path / "roster.csv" and found.private == tmp_path / "mine"
    assert found.seconds_per_learner == 90


def test_the_page_shows_every_key_in_an_example_that_can_be_read(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", DOC, re.DOTALL)
    found, factors = read(tmp_path, text)
    other = klass.Klass()
    for field in vars(other):
        if field == "data":
            continue
        assert getattr(found, field) != getattr(other, field), f"the example leaves {field} out"
    for field in vars(other.late):
        assert getattr(found.late, field) != getattr(other.late, field), field
    assert len(set(factors.values())) == 3
    for key in (*klass.KEYS, *klass.late.KEYS, *klass.TABLES):
        assert f"`{key}`" in DOC or f"`[{key}]`" in DOC, key


def test_a_lesson_is_read_in_one_way_wherever_it_stands(tmp_path, draw):
    def written(number, key=False):
        forms = [f'"{number}"', f'"{number:02d}"', f"'{number:03d}'", f"{number}"]
        return draw.choice([*forms, f"{number:02d}"] if key else [*forms, f'" {number}"'])

    for _ in range(60):
        one, four = (f"{written(n, key=True)}" for n in (1, 4))
        text = f"""lessons = [{written(1)}, {written(4)}]
[weights.lessons]
{one} = 2
{four} = 3
[late.due]
{four} = 2026-12-01
[late.days]
ada = {{ {one} = 1, {four} = 2 }}
"""
        found, factors = read(tmp_path, text)
        assert found.lessons == ("01", "04") and list(found.late.due) == ["04"], text
        assert factors == {"bytes": 2, "alive": 2, "freed": 3}
        assert found.late.days == {"ada": {"01": 1, "04": 2}}


# --- mistakes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("[weights.exercises]\nfreeed = 2", "did you mean freed?"),
        ('[weights.lessons]\n"44" = 2', "there is no 44"),
        ("[weights.exercises]\nfreed = -1", "from 0 to 1000"),
        ("[weights.exercises]\nfreed = true", "from 0 to 1000"),
        ("[weights]\nother = nan", "from 0 to 1000"),
        ("[weights]\nexercises = 3", "is a table"),
        ("[weights]\npoints = 3", "there is no points"),
        ("weights = 3", "[weights] with one line"),
        ("freed 2", "is not TOML"),
        ("lesons = ['01']", "did you mean lessons?"),
        ("lessons = []", "lessons = [] grades nothing: name some, or leave the line out."),
        ("freed = 2", "there is no freed here; write freed below [weights.exercises]."),
        (
            "[weights]\nfreed = 2",
            "[weights]: there is no freed here; write freed below [weights.ex",
        ),
        (
            "[weights]\nfreeed = 2",
            "there is no freeed here; write freed below [weights.exercises].",
        ),
        ("[weights]\n04 = 2", "[weights]: there is no 04 here; write 04 below [weights.lessons]."),
        ("[weights.lessons]\nfreed = 2", "there is no freed here; write freed below [weights.ex"),
        ("[late]\nfile = 'x'", "[late]: there is no file here; write file below [roster]."),
        ("[weights]\nprivate = 'x'", "write private above all lines in brackets."),
        (
            "percent_per_day = 2",
            "there is no percent_per_day here; write percent_per_day below [late]",
        ),
        ("lessons = [4.5]", 'it is a list: ["04", "05"]'),
        ('lessons = "04"', 'it is a list: ["04", "05"]'),
        ('[roster]\nfile = "rooster.csv"', "rooster.csv is not there: a path is meant from"),
        ("[roster]\nfile = 3", "it is a path"),
        ('[roster]\nfiles = "x"', "did you mean file?"),
        ("[late]\nfree_day = 2", "did you mean free_days?"),
        ("[late]\nfree_days = 1.5", "a whole number"),
        ("[late]\nfree_days = true", "from 0 to 1000"),
        ("[late]\ndue = 2026-12-01\npercent_per_day = 101", "from 0 to 100"),
        ("[late]\nat_most = '50'", "from 0 to 100"),
        ("[late]\ndue = '2026-12-01'", "a time without quotes"),
        ("[late.due]\n'44' = 2026-12-01", "there is no 44"),
        ("[weights.lessons]\n4 = 2\n'04' = 3", "4 and 04 are one lesson: leave one out."),
        ("[late.due]\n'04' = 2026-12-01\n4 = 2026-12-01", "04 and 4 are one lesson"),
        ("[weights]\n4 = 2", "there is no 04 here; write 04 below [weights.lessons]."),
        ("[weights.lessons]\n16 = 2", "lesson 16 has no exercises: leave it out. Lessons with"),
        ("[late.due]\n'16' = 2026-12-01", "lesson 16 has no exercises: leave it out."),
        ("[late.days]\nada = { 16 = 1 }", "lesson 16 has no exercises: leave it out."),
        ("[late.days]\nada = -1", "from 0 to 1000"),
        ("[late.days.ada]\n'44' = 1", "there is no 44"),
        ("seconds_per_learner = 0", "from 1 to"),
        ("private = 'roster.csv'", "is no folder: name the one that"),
        ("[exercises]\nfreed = 2", "write [weights] above"),
        ("[lessons]\n'04' = 2", "write [weights] above"),
        ("other = 2", "write [weights] above"),
    ],
)
def test_a_mistake_is_a_sentence(tmp_path, text, sentence):
    with pytest.raises(BadFile, match=re.escape(sentence)) as told:
        read(tmp_path, text)
    assert str(told.value).startswith(str(tmp_path / "class.toml"))
    assert str(told.value).endswith((".", "?")) and "\n" not in str(told.value)


def test_one_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match=r"cannot be read \(No such file.*, or leave --class out"):
        klass.read(tmp_path / "none.toml")


def test_any_key_with_a_letter_too_many_is_told_the_right_one(tmp_path):
    draw = random.Random(19)
    for section, keys in {"": klass.KEYS, "[late]\n": klass.late.KEYS}.items():
        for key in keys:
            place = draw.randrange(len(key) + 1)
            wrong = key[:place] + draw.choice("qxz") + key[place:]
            with pytest.raises(BadFile, match=f"there is no {wrong}; did you mean {key}\\?"):
                read(tmp_path, f"{section}{wrong} = 1\n")


@pytest.mark.parametrize("said", [["4"], ["04"], ["4", "04"], ["004"], ["4 1"], ["04 01"]])
def test_lessons_of_the_command_are_read_in_that_way_too(run, said):
    rows = run(lessons=said)[1]
    assert (FIRST in rows["ada"]) is ("1" in said[0]) and ids("04")[0] in rows["ada"]


def test_a_lesson_without_exercises_is_not_called_unknown(run, course):
    (course / "notebooks").mkdir(exist_ok=True)
    (course / "notebooks/16_words.ipynb").write_text("{}")
    wanted = "lesson 16 has no exercises: leave it out. Lessons with exercises are 01, 04."
    for lessons in ["16"], ["04", "16"]:
        with pytest.raises(BadFile, match=f"--lessons: {wanted}"):
            run(lessons=lessons)
    with pytest.raises(BadFile, match=f"class.toml: lessons: {wanted}"):
        run(klass=write(run, "lessons = [16]\n"))
    with pytest.raises(BadFile, match="--lessons: there is no 17; "):
        run(lessons=["17"])


# --- in the whole command ------------------------------------------------------------------


def write(run, text):
    file = run.out.parent / "class.toml"
    file.write_text(text)
    return file


def test_only_the_lessons_asked_are_graded_and_count(run):
    _, rows = run(lessons=["04"])
    assert points(rows) == {"ada": 12, "bob": 3, "cleo": 12}
    assert rows["ada"]["of"] == "12" and rows["ada"]["percent"] == "100"
    assert FIRST not in rows["ada"]
    assert {job["lesson"] for job in Room.jobs} == {"04"}


def test_lessons_of_the_command_go_before_those_of_class_toml(run):
    file = write(run, 'lessons = ["04"]\n')
    assert set(ids("04")) <= set(run(klass=file)[1]["ada"])
    rows = run(klass=file, lessons=["01"])[1]
    assert set(ids("01")) <= set(rows["ada"]) and not set(ids("04")) & set(rows["ada"])


def test_more_lessons_grade_only_what_is_missing_and_fewer_nothing(run):
    run(lessons=["04"])
    Room.jobs.clear()
    both = run()[1]
    assert {job["lesson"] for job in Room.jobs} == {"01"}
    Room.jobs.clear()
    assert points(run(lessons=["01"])[1]) == {"ada": 12, "bob": 3, "cleo": 8}
    assert points(run()[1]) == points(both) == {"ada": 24, "bob": 6, "cleo": 20}
    assert not Room.jobs


def test_lessons_graded_one_after_the_other_or_at_once_are_graded_alike(run, tmp_path):
    run(lessons=["04"])
    run()
    one = {file.name: file.read_bytes() for file in (run.out / "learners").iterdir()}
    run(again=True)
    assert one == {file.name: file.read_bytes() for file in (run.out / "learners").iterdir()}


def test_a_lesson_that_is_not_asked_is_not_missed(run, handed):
    (handed / "ada" / "04_lesson_04.ipynb").unlink()
    assert "not handed in" not in run(lessons=["01"])[1]["ada"]["notes"]
    assert "not handed in: lesson 04" in run()[1]["ada"]["notes"]
    assert "not handed in" not in run(lessons=["01"])[1]["ada"]["notes"]


def test_what_is_said_of_lessons_that_are_not_asked_is_in_no_book(run, handed):
    hand_in(handed / "ada", FULL | {ids("04")[0]: "x = 1"}, LESSONS)
    assert "no cell defines" in run()[1]["ada"]["notes"]
    assert run(lessons=["01"])[1]["ada"]["notes"] == ""


def test_an_unknown_lesson_is_a_sentence(run):
    with pytest.raises(BadFile, match="--lessons: there is no 05"):
        run(lessons=["05"])
    with pytest.raises(BadFile, match="class.toml: lessons: there is no 44; known are 01, 04"):
        run(klass=write(run, 'lessons = ["44"]\n'))
