"""A class is graded to its end: nobody stops it, and what was graded is never lost or done twice.

The rooms here are stand-ins that run the work in this process; rooms have tests of their own.
"""

import io
import json
import shutil
import sys
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from classroom_made import HALF, STUB, WRONG, hand_in, ids, notebook, write
from classroom_run import FIRST, FULL, LESSONS, Room, add_cases, points

from course import cli
from course.classroom import grade, inbox, marking, records, syllabus, terminal
from course.classroom.handout import Handout
from course.classroom.syllabus import CannotGrade
from course.sandbox.room import REFUSED
from course.trying import cases

# --- grades --------------------------------------------------------------------------------


def test_everybody_gets_the_points_of_their_work(run):
    code, rows = run()
    assert code == 0
    assert points(rows) == {"ada": 24, "bob": 6, "cleo": 20}
    assert rows["ada"]["of"] == "24" and rows["cleo"]["percent"] == "83.33"
    assert rows["cleo"][FIRST] == "0"


def test_a_stub_is_not_run(run):
    run()
    assert len(Room.jobs) == 6 + 6 + 5


def test_all_books_are_there_and_name_everybody(run):
    run()
    for name in ("grades.csv", "grades.json", "gradebook.html", "misconceptions.html"):
        assert (run.out / name).is_file()
    data = json.loads((run.out / "grades.json").read_text("utf-8"))
    assert [learner["student"] for learner in data["learners"]] == ["ada", "bob", "cleo"]
    assert data["mode"] == "isolated" and "seed" not in data
    assert all((run.out / f"records/{name}.html").is_file() for name in ("ada", "bob", "cleo"))
    assert "Each tanh keeps its own." in (run.out / "learners/bob.html").read_text("utf-8")
    assert "Not written yet." in (run.out / "learners/cleo.html").read_text("utf-8")


def test_the_same_class_gives_the_same_bytes(run):
    run()
    first = contents(run.out)
    run(again=True)
    assert contents(run.out) == first


def contents(out):
    return {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}


def test_hidden_numbers_come_from_the_seed(run):
    run(seed="one")
    one = json.loads(records.path(run.out, "ada").read_text())
    run(seed="two")
    two = json.loads(records.path(run.out, "ada").read_text())
    assert one["exercises"][FIRST]["cases"] != two["exercises"][FIRST]["cases"]


@pytest.fixture
def rooms(monkeypatch):
    """The rooms, in the order in which they are entered."""
    found = []
    monkeypatch.setattr(Room, "__enter__", lambda room: found.append(room) or room)
    return found


def test_no_two_learners_and_no_two_rounds_share_their_numbers(run, rooms, handed):
    shutil.copytree(handed / "ada", handed / "adam")  # who hands in the same work
    run()
    first = drawn(rooms)
    assert len(first) == len(set(first)) == 4
    assert set(Room.draws) == {"s", *first}, "the solutions have the learners' numbers"
    hand_in(handed / "bob", FULL | {FIRST: WRONG}, LESSONS)
    rooms.clear()
    run()
    (second,) = drawn(rooms)
    assert second not in first


def drawn(rooms):
    """The one seed of each learner's jobs."""
    seeds = [{job["seed"] for job in room.own} for room in rooms if room.kinds == {False}]
    assert all(len(own) == 1 for own in seeds)
    return [seed for own in seeds for seed in own]


def test_the_same_class_has_the_same_marks_in_whatever_order_it_came(run, handed, tmp_path):
    hand_in(handed / "bob", dict.fromkeys(FULL, WRONG), LESSONS)
    run()
    hand_in(handed / "bob", dict.fromkeys(FULL, HALF), LESSONS)
    run()
    late = records.last(run.out, "bob")
    shutil.rmtree(run.out)
    run()
    anew = records.last(run.out, "bob")
    assert (late["round"], anew["round"]) == (2, 1)
    assert late["exercises"] == anew["exercises"]


def test_a_solution_that_fails_for_one_learner_costs_nobody_else(run, monkeypatch):
    real = Room.run

    def fail(self, job):
        if "solutions" in job and job["seed"] != "s" and Room.draws.count("s") and not Room.failed:
            Room.failed = job["seed"]
        if job["seed"] == Room.failed:
            return {"outcomes": {}}
        return real(self, job)

    monkeypatch.setattr(Room, "failed", "", raising=False)
    monkeypatch.setattr(Room, "run", fail)
    code, rows = run()
    assert code == 1 and points(rows) == {"ada": 0, "bob": 6, "cleo": 20}
    failed = records.last(run.out, "ada")["failed"]
    assert "The solution of" in failed, failed
    assert "The solution of" in (run.out / "records/ada.html").read_text("utf-8")
    assert "The solution of" not in (run.out / "learners/ada.html").read_text("utf-8")


def test_a_room_is_told_what_to_hide(run, handed, monkeypatch):
    seen = []
    monkeypatch.setattr(
        Room, "__init__", lambda self, isolate, hide, **more: seen.append((isolate, hide))
    )
    run(isolate=True)
    assert set(map(repr, seen)) == {repr((True, [handed, run.out]))}


def test_weights_change_the_books_and_grade_nobody_again(run, tmp_path):
    run()
    Room.jobs.clear()
    text = f"[weights]\nother = 0\n[weights.exercises]\n{FIRST} = 5\n"
    (tmp_path / "class.toml").write_text(text)
    _, rows = run(klass=tmp_path / "class.toml")
    assert points(rows) == {"ada": 20, "bob": 5, "cleo": 0}
    assert not Room.jobs


# --- what can be wrong with a submission ---------------------------------------------------


def test_a_missing_lesson_is_said_and_is_not_a_zero(run, handed):
    (handed / "ada" / "04_lesson_04.ipynb").unlink()
    code, rows = run()
    assert code == 0 and rows["ada"]["points"] == "12"
    assert rows["ada"][ids("04")[0]] == ""
    assert "not handed in: lesson 04" in rows["ada"]["notes"]


def test_a_broken_notebook_costs_its_own_lesson(run, handed):
    (handed / "ada" / "01_lesson_01.ipynb").write_text('{"cells": [')
    code, rows = run()
    assert code == 0 and points(rows) == {"ada": 12, "bob": 6, "cleo": 20}
    assert "cut off" in rows["ada"]["notes"]


def test_who_handed_in_nothing_readable_has_a_row_and_is_named(run, handed):
    for file in (handed / "bob").iterdir():
        file.write_text("")
    code, rows = run()
    assert code == 1 and rows["bob"]["points"] == "0"
    assert "the file is empty" in rows["bob"]["notes"]
    assert "1 could not be graded" in run.said.out and "bob" in run.said.out


def test_an_error_of_the_grader_stops_nobody_else(run, monkeypatch):
    def fail(job):
        if "return 4 * size" in job["cells"][-1]["source"]:
            raise RuntimeError("the warden ended")

    monkeypatch.setattr(Room, "before", staticmethod(fail))
    code, rows = run()
    assert code == 1 and points(rows) == {"ada": 24, "bob": 0, "cleo": 20}
    assert "look at it by hand" in rows["bob"]["notes"]
    monkeypatch.setattr(Room, "before", staticmethod(lambda job: None))
    code, rows = run()
    assert code == 0 and rows["bob"]["points"] == "6", "it is tried again"


@pytest.mark.parametrize("outcome", [{}, {"value": {"no": "such"}}, {"value": [1] * 9}, {"x": 1}])
def test_an_outcome_that_cannot_be_read_is_no_points(course, outcome):
    case = cases.of(FIRST)[0]
    row = marking.readable(case, outcome, {"value": 8}).as_dict()
    assert row["points"] == 0 and row["got"]


def test_the_last_answer_counts_and_is_noted(run, handed):
    data = notebook("01", FULL)
    data["cells"].append(data["cells"][2] | {"source": WRONG.replace("{id}", FIRST)})
    write(handed / "ada" / "01_lesson_01.ipynb", data)
    _, rows = run()
    assert rows["ada"][FIRST] == "0"
    assert f"{FIRST}: 2 cells define {FIRST}(); the last one counted" in rows["ada"]["notes"]


def test_half_a_character_in_a_name_stops_nobody(run, course, handed, monkeypatch):
    real = inbox.submissions(handed, syllabus.given(course))
    odd = replace(real[0], student="a\udcffda", name="A\ud800da")
    monkeypatch.setattr(grade.inbox, "submissions", lambda path, course: [odd, *real[1:]])
    assert run()[0] == 0
    monkeypatch.setattr(Room, "jobs", [])
    run()
    assert not Room.jobs, "and is kept like everybody's"


# --- going on where it stopped -------------------------------------------------------------


def test_a_second_run_grades_nobody_again(run):
    run()
    Room.jobs.clear()
    assert points(run()[1]) == {"ada": 24, "bob": 6, "cleo": 20}
    assert not Room.jobs
    assert "3 of 3 kept" in run.said.out


def test_only_new_work_is_graded(run, handed):
    run()
    Room.jobs.clear()
    hand_in(handed / "bob", FULL, LESSONS)
    hand_in(handed / "dora", dict.fromkeys(FULL, WRONG), LESSONS)
    assert points(run()[1]) == {"ada": 24, "bob": 24, "cleo": 20, "dora": 0}
    assert len(Room.jobs) == 12


@pytest.mark.parametrize("change", ["seed", "mode", "again", "course"])
def test_another_seed_mode_or_course_grades_anew(run, course, change):
    run()
    Room.jobs.clear()
    if change == "course":
        write(course / "exercises/00_x.ipynb", notebook("01", {}))
    more = {"seed": {"seed": "t"}, "mode": {"isolate": False}, "again": {"again": True}}
    run(**more.get(change, {}))
    assert len(Room.jobs) == 17


def test_ctrl_c_keeps_who_was_graded_and_the_next_run_goes_on(run, monkeypatch):
    finished(monkeypatch, after=8)
    code, rows = run()
    assert code == 130 and list(rows) == ["ada"]
    assert "1 of 3 are graded and kept" in run.said.err
    assert "2 of 3 are not graded yet" in (run.out / "gradebook.html").read_text("utf-8")
    monkeypatch.undo_interrupt()
    Room.jobs.clear()
    code, rows = run()
    assert code == 0 and points(rows) == {"ada": 24, "bob": 6, "cleo": 20}
    assert len(Room.jobs) == 11
    assert "not graded yet" not in (run.out / "gradebook.html").read_text("utf-8")


def test_a_process_that_ctrl_c_ended_is_nobodys_grade(run, monkeypatch):
    finished(monkeypatch, after=8, how=OSError("the warden did not start"))
    code, rows = run()
    assert code == 130 and list(rows) == ["ada"]
    assert not (run.out / "learners/bob.html").exists()
    monkeypatch.undo_interrupt()
    assert points(run()[1]) == {"ada": 24, "bob": 6, "cleo": 20}


def finished(monkeypatch, after, how=None):
    """Press Ctrl-C when so many jobs of learners have begun; the job at hand ends, or so."""
    pressed, released = threading.Event(), threading.Event()

    def before(job):
        if len(Room.jobs) == after:
            pressed.set()
            released.wait(10)
            if how:
                raise how

    def as_completed(jobs):
        yield jobs[0]
        pressed.wait(10)
        released.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(Room, "before", staticmethod(before))
    monkeypatch.setattr(grade, "as_completed", as_completed)

    def undo():
        monkeypatch.setattr(Room, "before", staticmethod(lambda job: None))
        monkeypatch.setattr(grade, "as_completed", AS_COMPLETED)

    monkeypatch.undo_interrupt = undo


AS_COMPLETED = grade.as_completed


def test_a_full_disk_ends_the_class_at_once(run, monkeypatch):
    def full(out, record):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records, "save", full)
    with pytest.raises(OSError, match="No space"):
        run()
    assert len(Room.jobs) == 6, "the first learner's only"


def test_what_ended_the_class_is_said_and_not_who_was_stopped_for_it():
    full, stopped, cancelled, done = Future(), Future(), Future(), Future()
    full.set_exception(OSError(28, "full"))
    stopped.set_exception(marking.Stopped())
    cancelled.cancel()
    done.set_result({})
    assert [bool(grade.trouble(job)) for job in (stopped, cancelled, done, full)] == [
        False, False, False, True
    ]  # fmt: skip


# --- the seed ------------------------------------------------------------------------------


def test_a_seed_that_is_not_given_is_drawn_said_and_kept(run):
    run(seed=None)
    seed = json.loads((run.out / "grade.json").read_text())["seed"]
    assert len(seed) == 16 and f"Seed {seed}, drawn" in run.said.out
    Room.jobs.clear()
    run(seed=None)
    assert not Room.jobs and f"Seed {seed}, as in the run before" in run.said.out


def test_two_classes_draw_different_seeds(tmp_path):
    def settled(name):
        return grade.settled_seed(grade.Options(tmp_path, tmp_path / name))

    assert settled("a") != settled("b")


# --- the end -------------------------------------------------------------------------------


def test_fail_under_names_who_is_below(run):
    code, _ = run(fail_under=80)
    assert code == 1 and "1 below 80 %: bob." in run.said.out
    assert run(fail_under=25)[0] == 0, "25 % is not below 25 %"


def test_records_of_other_runs_are_named_and_in_no_book(run, handed):
    run()
    (handed / "cleo").rename(handed / "dora")
    _, rows = run()
    assert list(rows) == ["ada", "bob", "dora"]
    assert "1 from other runs, not in these books: cleo." in run.said.out


# --- refusals ------------------------------------------------------------------------------


def refused(options, course, sentence):
    with pytest.raises(CannotGrade, match=sentence):
        grade.grade(options, course)


def test_places_that_cannot_be(course, handed, tmp_path):
    other, file = tmp_path / "other", tmp_path / "file"
    other.mkdir()
    (other / "grades.csv").write_text("somebody's")
    file.write_text("")
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(grade.Options(tmp_path / "none", tmp_path / "out"), course, "is not there")
    refused(grade.Options(handed, handed), course, "a place of its own")
    refused(grade.Options(handed, handed / "out"), course, "a place of its own")
    refused(grade.Options(handed, other), course, "holds other files")
    refused(grade.Options(handed, file), course, "is a file")
    refused(grade.Options(empty, tmp_path / "out"), course, "holds no submission")
    assert (other / "grades.csv").read_text() == "somebody's"


@pytest.mark.parametrize(
    "left", [["overrides.csv"], [".grade.json.7.tmp"], ["overrides.csv", ".x.7.tmp"]]
)
def test_a_grader_killed_before_its_first_file_was_whole_goes_on(run, left):
    """Its folder is nobody else's; beside what is somebody's it is refused as before."""
    run.out.mkdir()
    for name in left:
        (run.out / name).write_text("student,exercise,points,comment\n")
    run()
    assert not [path for path in run.out.iterdir() if path.suffix == ".tmp"]


def test_two_graders_do_not_share_a_folder(course, handed, tmp_path):
    with grade.alone(tmp_path / "out"):
        refused(grade.Options(handed, tmp_path / "out"), course, "Another grader is at work")


def test_a_solution_that_fails_stops_the_class(course, handed, tmp_path):
    write(course / "solutions" / "01_lesson_01.ipynb", notebook("01", {FIRST: STUB}))
    refused(grade.Options(handed, tmp_path / "out", "s"), course, f"The solution of {FIRST} fails")


@pytest.mark.parametrize("folder", ["exercises", "solutions"])
def test_a_course_without_its_notebooks(course, handed, tmp_path, folder):
    (course / folder / "04_lesson_04.ipynb").unlink()
    refused(grade.Options(handed, tmp_path / "out", "s"), course, "run.py build 04")


def test_cases_of_an_exercise_that_the_notebook_lacks(course, handed, tmp_path):
    add_cases("forgotten", "04")
    refused(grade.Options(handed, tmp_path / "out", "s"), course, "has no exercise forgotten")


def test_a_lesson_is_called_as_its_title_says():
    lessons = syllabus.lessons(grade.ROOT)
    found = syllabus.titles(lessons)
    assert found["04"] == "Which is freed, which is not"
    assert found["shelf_of_views"] == "A shelf of views, in PyTorch"
    assert set(found) == {id for lesson in lessons for id in (lesson.lesson, *lesson.stubs)}
    assert syllabus.titles([Handout("04", "04_which_is_freed", "", {})]) == {"04": "which is freed"}


def test_who_could_be_graded_only_in_part_is_named(run, handed):
    file = handed / "bob" / "04_lesson_04.ipynb"
    file.write_bytes(file.read_bytes()[:-40])
    (handed / "cleo" / "more.zip").write_bytes(b"PK")
    code, _ = run()
    assert "2 could be graded only in part; their pages in records/ say why: bob; cleo." in (
        run.said.out
    )
    assert code == 0


def test_learners_with_commas_in_their_names_are_told_apart(run, handed):
    for name in "ada", "bob", "cleo":
        (handed / name).rename(handed / f"Smith, {name}")
    run(fail_under=101)
    assert "3 below 101 %: Smith, ada; Smith, bob; Smith, cleo." in run.said.out


# --- from the command line -----------------------------------------------------------------


def test_the_command_says_why_it_refuses(handed, tmp_path, monkeypatch, capsys):
    assert cli.main("grade", submissions=tmp_path / "none", out=tmp_path / "out") == 2
    assert "is not there" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_mistake_in_class_toml_is_said_before_anybody_is_graded(course, handed, tmp_path, capsys):
    (tmp_path / "class.toml").write_text("[weights.exercises]\nfree = 1\n")
    places = {"out": tmp_path / "out", "klass": tmp_path / "class.toml"}
    assert command(course, submissions=handed, **places) == 2
    assert "there is no free" in capsys.readouterr().err


def test_isolation_is_the_default_and_its_refusal_names_plain(
    course, handed, tmp_path, monkeypatch, capsys
):
    def start(self):
        if self.isolate:
            raise grade.Refused(REFUSED.format("why"))
        return self

    monkeypatch.setattr(Room, "__enter__", start)
    places = {"submissions": handed, "out": tmp_path / "out"}
    for given in {}, {"isolate": True}:
        assert command(course, **places, **given) == 2
        assert "cannot isolate" in (said := capsys.readouterr().err) and "--plain" in said
        assert not (tmp_path / "out/grades.csv").exists()
    assert command(course, **places, isolate=False) == 0


def test_no_solution_runs_where_a_learners_code_runs(run, rooms):
    run()
    kinds = [room.kinds for room in rooms]  # the stand-in refuses both in one room
    assert sorted(map(str, kinds)) == ["{False}"] * 3 + ["{True}"]


def test_no_room_is_a_sentence(course, handed, tmp_path, monkeypatch, capsys):
    def refuse(self):
        raise grade.Refused("no namespaces here: grade in a container")

    monkeypatch.setattr(Room, "__enter__", refuse)
    assert command(course, submissions=handed, out=tmp_path / "out", isolate=True) == 2
    assert "grade in a container" in capsys.readouterr().err


def command(course, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "ROOT", course)
        return cli.main("grade", **options)


# --- progress ------------------------------------------------------------------------------


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_one_line_on_a_terminal_and_a_line_each_elsewhere():
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        progress = terminal.Progress(2, stream)
        progress.step("ada 24 of 24")
        progress.step("bob 6 of 24")
        progress.close()
    assert "\n" not in screen.getvalue() and "2 of 2" in screen.getvalue()
    assert "about 0 s to go" in screen.getvalue()
    assert file.getvalue() == "1 of 2: ada 24 of 24\n2 of 2: bob 6 of 24\n"


def test_a_name_cannot_move_the_cursor():
    file = io.StringIO()
    terminal.Progress(1, file).step("ada\x1b[2J\r\n\udcff")
    assert file.getvalue().count("\n") == 1 and "\x1b" not in file.getvalue()


def test_a_terminal_without_the_letters_is_no_traceback(run, handed, monkeypatch):
    (handed / "bob").rename(handed / "Zo\u00eb")
    screen = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    assert run(seed=None, fail_under=50)[0] == 1
    screen.flush()
    said = screen.buffer.getvalue().decode("ascii")
    assert "3 learners ? 24 points" in said and "1 below 50 %: Zo?." in said


def test_nothing_to_do_draws_nothing():
    screen = Screen()
    terminal.Progress(0, screen).close()
    assert screen.getvalue() == ""


def test_the_course_that_is_graded_is_this_one():
    assert (Path(grade.ROOT) / "course/cases").is_dir()
