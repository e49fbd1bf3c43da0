"""The source set for nbgrader, and the commands of docs/grading.md in a new environment."""

import asyncio
import csv
import json
import os
import re
import shlex
import subprocess
import sys

import nbformat
import pytest
from answers import answers

import run
from course.build import nbgrader
from course.build.child import run_cells
from course.build.products import solved, stub
from course.build.project import REPOSITORY, Project, work_on
from course.build.source import read_lesson
from course.trying import cases

LESSON = "04_which_is_freed"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class with three learners, made, released, autograded and exported as the page says."""
    root = tmp_path_factory.mktemp("class")
    *until, release = documented(root)
    said = shell(root, *until)
    if "nbgrader-is-missing" in said:
        pytest.skip(f"nbgrader cannot be installed here: {said.strip()[-200:]}")
    shell(root, release)
    released = root / "release" / LESSON / f"{LESSON}.ipynb"
    for learner, written in {"all": _all(), "none": {}, "part": _part()}.items():
        submit(root / "submitted" / learner / LESSON, released, written)
    then = re.findall(r"`(nbgrader [^`]+)`", section())
    assert [command.split()[1] for command in then] == ["autograde", "export"]
    shell(root, *then)
    return root


def section():
    """What docs/grading.md says of nbgrader, without its comments."""
    page = (REPOSITORY / "docs/grading.md").read_text("utf-8")
    return re.sub(r"<!--.*?-->", "", page.partition("\n## With nbgrader\n")[2], flags=re.DOTALL)


def documented(root):
    """The commands of the page's block for the class `root`, with this Python in place of yours.

    `run.py` hands its command over to the Python of .venv, which is this one here.
    """
    block = section().split("```")[1].replace("CLASS", str(root)).strip().splitlines()
    assert [line.split()[0] for line in block] == [
        "python3", "python3", ".", "pip", "cd", "nbgrader"
    ]  # fmt: skip
    build, make, enter, install, go, release = block
    call = run.module_call(run.parser().parse_args(build.split()[2:]))
    return [
        shlex.join([sys.executable, *call]),
        make.replace("python3", shlex.quote(sys.executable), 1),
        enter,
        f"{install} --quiet --no-compile || echo nbgrader-is-missing",
        go,
        release,
    ]


def shell(root, *commands):
    """Run them in one shell, in the checkout, or in the class's environment once it is there."""
    there = (root / ".venv/bin/nbgrader").exists()
    lines = [f". {root}/.venv/bin/activate", f"cd {root}", *commands] if there else commands
    hidden = "MINIGRAD_REVEAL", "PYTHONPATH", "VIRTUAL_ENV"
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)],
        cwd=REPOSITORY,
        env=env | {"HOME": str(root)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr * ("nbgrader-is-missing" in done.stdout)


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
    found = {name: float(row["score"]) for name, row in grades(course).items()}
    none, part = checked({}), checked(_part())
    assert found == {"all": most, "none": none, "part": part} and none < part < most
    assert {float(row["max_score"]) for row in grades(course).values()} == {most}


def checked(written):
    """The points that `check` gives in the notebook with these exercises solved."""
    lesson = read_lesson(REPOSITORY / "lessons" / f"{LESSON}.py")
    answers = {c.keys["exercise"]: c for c in lesson.cells if "exercise" in c.keys}
    sources = [written.get(id, stub(cell)) for id, cell in answers.items()]
    checks = [f"from course.grade import check; check({id})" for id in answers]
    with work_on(Project()) as work:
        found = asyncio.run(run_cells(LESSON, [lesson.setup.source, *sources, *checks], work))
    said = " ".join(one["data"]["text/plain"] for out in found[-len(checks) :] for one in out)
    return sum(int(points) for points in re.findall(r"(\d+) of \d+ points", said))


@pytest.mark.slow
def test_the_released_notebook_holds_no_solution(course):
    text = (course / "release" / LESSON / f"{LESSON}.ipynb").read_text()
    assert "SOLUTION" not in text and "### STUB" not in text
    assert "not written yet" in text and "retain_graph=True" in text


def test_what_nbgrader_imports_of_the_build_needs_no_tool_of_the_build():
    code = (
        "import sys; before = set(sys.modules); import course.build.regions;"
        "new = [name for name in set(sys.modules) - before if sys.modules[name]];"
        "print({name.partition('.')[0] for name in new})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'course'}\n"


def test_only_nbgraders_own_metadata_is_added(tmp_path):
    nbgrader.write(Project(), tmp_path)
    made = json.loads((tmp_path / "source" / LESSON / f"{LESSON}.ipynb").read_text())
    marked = [c["metadata"]["nbgrader"] for c in made["cells"] if "nbgrader" in c["metadata"]]
    assert sum(m.get("points", 0) for m in marked) > 0
    assert [m["solution"] for m in marked] == [True, False] * (len(marked) // 2)
    assert sys.modules.get("nbgrader") is None  # nothing of this needs it
