"""The source set for nbgrader, run through nbgrader itself in an environment of its own."""

import csv
import json
import os
import site
import subprocess
import sys
import venv
from pathlib import Path

import nbformat
import pytest
from answers import answers

from course.build import nbgrader
from course.build.products import solved
from course.build.project import REPOSITORY, Project
from course.grade import cases

PINNED = "nbgrader==0.9.6"
LESSON = "04_which_is_freed"


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    """A Python with nbgrader on top of this one's packages, which stay as they are."""
    home = tmp_path_factory.mktemp("nbgrader")
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    below = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (Path(below.stdout.strip()) / "this.pth").write_text("\n".join(site.getsitepackages()))
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", PINNED], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"{PINNED} cannot be installed here: {done.stderr.strip()[-120:]}")
    return home


@pytest.fixture(scope="module")
def course(tool, tmp_path_factory):
    """A class with three learners, released, autograded and exported."""
    root = tmp_path_factory.mktemp("class")
    assert LESSON in nbgrader.write(Project(), root)
    run(tool, root, "generate_assignment", LESSON)
    released = root / "release" / LESSON / f"{LESSON}.ipynb"
    for learner, written in {"all": _all(), "none": {}, "part": _part()}.items():
        submit(root / "submitted" / learner / LESSON, released, written)
    run(tool, root, "autograde", LESSON)
    run(tool, root, "export", "--to", "grades.csv")
    return root


def run(tool, root, *arguments):
    env = os.environ | {
        "PATH": f"{tool / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "HOME": str(root),
    }
    env.pop("MINIGRAD_REVEAL", None)
    done = subprocess.run(
        [tool / "bin" / "nbgrader", *arguments], cwd=root, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]


def submit(folder, released, written):
    """The released notebook with these exercises solved."""
    folder.mkdir(parents=True)
    notebook = nbformat.read(released, as_version=4)
    for cell in notebook.cells:
        mark = cell.metadata.get("minigrad", {})
        if mark.get("role") == "answer":
            cell.source = written.get(mark["exercise"], cell.source)
    nbformat.write(notebook, folder / released.name)


def _all():
    from course.build.source import read_lesson

    lesson = read_lesson(REPOSITORY / "lessons" / f"{LESSON}.py")
    return {c.keys["exercise"]: solved(c) for c in lesson.cells if "exercise" in c.keys}


def _part():
    """One right in part: it measures what it should have worked out by hand."""
    return {one.exercise: one.source for one in answers("04")
            if one.kind == "spare" and one.exercise == "held_by_chain"}  # fmt: skip


def grades(course):
    with open(course / "grades.csv") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


@pytest.mark.slow
def test_nbgrader_gives_the_points_that_check_gives(course):
    ids = cases.exercises()["04"]
    most = sum(case.points for id in ids for case in cases.of(id))
    stub = 1  # the broken step gives the right gradient
    found = {name: float(row["score"]) for name, row in grades(course).items()}
    assert found == {"all": most, "none": stub, "part": 4 + stub}
    assert {float(row["max_score"]) for row in grades(course).values()} == {most}


@pytest.mark.slow
def test_the_released_notebook_holds_no_solution(course):
    text = (course / "release" / LESSON / f"{LESSON}.ipynb").read_text()
    assert "SOLUTION" not in text and "### STUB" not in text
    assert "not written yet" in text and "retain_graph=True" in text


def test_only_nbgraders_own_metadata_is_added(tmp_path):
    nbgrader.write(Project(), tmp_path)
    made = json.loads((tmp_path / "source" / LESSON / f"{LESSON}.ipynb").read_text())
    marked = [c["metadata"]["nbgrader"] for c in made["cells"] if "nbgrader" in c["metadata"]]
    assert sum(m.get("points", 0) for m in marked) > 0
    assert [m["solution"] for m in marked] == [True, False] * (len(marked) // 2)
    assert sys.modules.get("nbgrader") is None  # nothing of this needs it
