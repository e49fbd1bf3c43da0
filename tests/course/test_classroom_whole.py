"""A class graded as a teacher does it: the command, real rooms, a course like the real one.

Two hundred learners, fifty of them hostile, are graded only where CI=true.
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import pytest
from classroom_hostile import WORTHLESS, write_hostile
from classroom_made import HALF, SOLVED, hand_in, ids, write_class, write_course

ONE = ["01"]
FIRST = ids("01")[0]
FULL = dict.fromkeys(ids("01"), SOLVED)
LOOKS = "import gc\ngc.get_referents(print)\n"  # what a person should look at
SLOWLY = "import time\n" + SOLVED.replace("    x = ", "    time.sleep(3)\n    x = ", 1)


@pytest.fixture
def course(tmp_path):
    write_course(tmp_path / "course", ONE)
    return tmp_path / "course"


@pytest.fixture
def handed(tmp_path):
    folder = tmp_path / "handed in"
    hand_in(folder / "ada", FULL, ONE)
    hand_in(folder / "bob", FULL | {FIRST: HALF}, ONE)
    hand_in(folder / "eve", FULL | {FIRST: LOOKS + WORTHLESS["os_exit"]}, ONE)
    return folder


def started(course, handed, **more):
    """The command, running; it writes line by line."""
    options = json.dumps({"submissions": str(handed), "out": "out", **more})
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "course.cli", "grade", options],
        cwd=course.parent,
        env={**os.environ, "PYTHONPATH": str(course)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def graded(course, handed, **more):
    with started(course, handed, **more) as process:
        said, complaints = process.communicate()
    return process.returncode, said, complaints


def points(course):
    text = (course.parent / "out/grades.csv").read_text("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    return {row["student"]: float(row["points"]) for row in rows}


def test_a_small_class(course, handed):
    code, said, complaints = graded(course, handed, seed="s", fail_under=70)
    assert (code, complaints) == (1, "")
    assert points(course) == {"ada": 12, "bob": 9, "eve": 8}
    assert "1 below 70 %: eve." in said
    assert "1 flagged for a person to look at; no points were taken: eve." in said
    alike = (course.parent / "out/similar.html").read_text("utf-8")
    assert "No two learners wrote alike beyond chance." in alike, "in three exercises nobody can"
    page = (course.parent / "out/learners/eve.html").read_text("utf-8")
    assert "the program ended itself (exit status 0)" in page


def test_ctrl_c_then_the_same_command(course, handed):
    hand_in(handed / "bob", FULL | {FIRST: SLOWLY}, ONE)
    with started(course, handed, seed="s", jobs=1) as process:
        assert process.stdout.readline().startswith("1 of 3: ada")
        os.killpg(process.pid, signal.SIGINT)
        said, complaints = process.communicate()
    assert process.returncode == 130, complaints
    assert "the same command goes on from here" in complaints and "Traceback" not in complaints
    assert points(course) == {"ada": 12}
    code, said, _ = graded(course, handed, seed="s")
    assert code == 0 and "1 of 3 kept from the run before." in said
    assert points(course) == {"ada": 12, "bob": 12, "eve": 8}


@pytest.mark.slow
@pytest.mark.skipif("MINIGRAD_CLASS" not in os.environ, reason="minutes; set MINIGRAD_CLASS=200")
def test_two_hundred_learners_fifty_of_them_hostile(tmp_path):
    write_course(tmp_path / "course")
    wanted = write_hostile(tmp_path / "in", 50) | write_class(tmp_path / "in", 150)
    graded(tmp_path / "course", tmp_path / "in", seed="s")
    assert points(tmp_path / "course") == wanted
