"""A lesson's widgets need some of its cells; with the others they would be the same."""

import json
import subprocess
import sys

from course.site import build, live
from course.site.needed import needed

LESSON = "notebooks/01_names_objects_bytes.ipynb"


def test_a_cell_is_needed_for_what_a_needed_one_reads():
    sources = ["import a", "b = a.c()", "print(b)", "def f():\n    return b", "predict(run=f)"]
    assert needed(sources) == [True, True, False, True, True]


def test_a_magic_is_no_python_and_what_it_steps_is_read():
    assert needed(["x = 1", "y = 2", "%%step --hide\nz = x"]) == [True, False, True]


def test_the_states_are_those_of_the_whole_lesson():
    brief = live.of(build.ROOT / LESSON, build.ROOT)
    command = [sys.executable, "-m", "course.site.live", LESSON, "whole"]
    whole = subprocess.run(command, cwd=build.ROOT, stdout=subprocess.PIPE, check=True)
    shown = [[state for state in cell if state] for cell in brief]
    assert shown == [[state for state in cell if state] for cell in json.loads(whole.stdout)]
    assert {state["kind"] for cell in shown for state in cell} == {"card", "view"}
