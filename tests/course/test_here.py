"""`course.here` beside a kernel that somebody else started; docs/anywhere.md says what it does."""

import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nbformat
import pytest

from course import copies, here
from course.classroom.handout import handouts
from course.classroom.inbox import submissions
from course.predict import record, record_exercise

STUB = "def freed(x):\n    raise NotImplementedError('freed: not written yet')"
NAME = "exercises/04_which_is_freed.ipynb"
LINKS = "[a](../course/a.py) and [b](../notebooks/b.ipynb) · [solutions](../solutions/04.ipynb)"


def exercise(source=STUB, prose="# 04  Freed"):
    mark = {"minigrad": {"exercise": "freed", "role": "answer"}}
    cells = [
        nbformat.v4.new_markdown_cell(prose, id="title"),
        nbformat.v4.new_code_cell("import os", id="setup"),
        nbformat.v4.new_code_cell(source, id="answer", metadata=mark),
    ]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """An installed course of one lesson; the current folder is the learner's, which is empty."""
    for name, made in {here.FIRST: exercise("1", "# 00  Welcome"), NAME: exercise()}.items():
        path = tmp_path / "installed" / name
        path.parent.mkdir(parents=True)
        nbformat.write(made, path)
    (tmp_path / "home").mkdir()
    monkeypatch.setattr(here, "ROOT", tmp_path / "installed")
    monkeypatch.setattr(record, "_told", [])
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    monkeypatch.chdir(tmp_path / "home")
    handouts.cache_clear()
    yield tmp_path / "installed"
    handouts.cache_clear()


def change(path, source, id="answer"):
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.id == id).source = source
    nbformat.write(notebook, path)


def texts(path):
    return [copies.source(cell) for cell in copies.load(Path(path))["cells"]]


def test_a_start_makes_the_copies_and_leads_to_the_first(course, capsys):
    here.start()
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "Go on with my/notebooks/00_welcome.ipynb"
    assert "2 working copies made" in said
    assert {path.as_posix() for path in Path("my").glob("*/*.ipynb")} == {
        f"my/{here.FIRST}", f"my/{NAME}"
    }  # fmt: skip


def test_a_second_start_changes_nothing_that_is_there(course, capsys):
    here.start()
    change(f"my/{NAME}", "def freed(x): return 7")
    before = Path("my", NAME).read_bytes()
    os.chdir("my/notebooks")  # a lesson's own folder, from which the cell is run again
    here.start()
    assert Path("../exercises/04_which_is_freed.ipynb").read_bytes() == before
    assert not Path("my").exists()
    assert "Go on with" in capsys.readouterr().out


def test_the_links_of_a_copy_lead_to_what_is_there(course):
    nbformat.write(exercise(prose=f"# 04  Freed\n{LINKS}"), course / NAME)
    here.start()
    assert texts(f"my/{NAME}")[0] == "# 04  Freed\na and [b](../notebooks/b.ipynb)"


def test_an_update_keeps_what_was_written(course, capsys):
    here.start()
    change(f"my/{NAME}", "def freed(x): return 7")
    change(course / NAME, "import sys", id="setup")
    here.start()
    assert "course.here.update() brings it" in capsys.readouterr().out
    here.update()
    assert "new version, 1 cell of yours kept" in capsys.readouterr().out
    assert texts(f"my/{NAME}")[1:] == ["import sys", "def freed(x): return 7"]
    here.update()
    assert capsys.readouterr().out == "my/ is up to date.\n"


def test_an_update_brings_a_new_exercise(course, capsys):
    here.start()
    capsys.readouterr()
    nbformat.write(exercise(), course / "exercises/31_of_ours.ipynb")
    here.update()
    assert capsys.readouterr().out == "my/exercises/31_of_ours.ipynb: new.\n"
    assert texts("my/exercises/31_of_ours.ipynb")[2] == STUB
    here.update()
    assert capsys.readouterr().out == "my/ is up to date.\n"


def test_what_is_done_outside_of_my_is_recorded_after_a_start(course, tmp_path, capsys):
    here.start(tmp_path / "drive")
    assert f"Go on with {tmp_path / 'drive/my'}" in capsys.readouterr().out
    record_exercise("freed", True)
    kept = json.loads((tmp_path / "drive/my/progress.json").read_text())
    assert kept["exercises"] == {"freed": True}


def test_submit_says_what_is_missing_and_where_the_zip_is(course, capsys):
    here.start()
    path = here.submit("Ada")
    said = capsys.readouterr().out
    assert "exercises not begun: lesson 04" in said
    assert path == Path("my/minigrad-Ada.zip").resolve()
    [one] = submissions(path, handouts(course))
    assert one.name == "Ada" and one.notes == () and one.file("04").notebook


def test_the_version_is_told_where_no_project_file_is(course):
    here.start()
    from course.classroom import submit

    assert submit._version(course) == metadata.version("minigrad-course")


def test_every_test_that_the_page_names_is_there():
    root = Path(__file__).parents[2]
    page = (root / "docs/anywhere.md").read_text("utf-8")
    named = re.findall(r"<!-- (test_\w+: .*?)-->", page, re.DOTALL)
    assert len(named) == page.count("<!--") > 5
    for part in ";".join(named).split(";"):
        file, _, tests = part.partition(":")
        [path] = root.glob(f"tests/**/{file.strip()}.py")
        text = path.read_text("utf-8")
        assert all(f"\ndef {test.strip()}(" in text for test in tests.split(","))


# --- the page ------------------------------------------------------------------------------

ROOT = Path(here.__file__).parents[1]
CELL = (
    "import sys; from IPython.core.interactiveshell import InteractiveShell as S;"
    "sys.exit(not S.instance().run_cell(sys.argv[1]).success)"
)
DRIVE = "/content/drive/MyDrive"


def cells():
    """The cells of the page, and the calls that stand in its sentences."""
    page = (ROOT / "docs/anywhere.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    calls = re.findall(r"`(course\.here\.\w+\(.*?\))`", prose, re.DOTALL)
    return [*blocks, *(f"import course.here\n{call}" for call in calls)]


def in_a_new_kernel(cell, folder):
    """What is said, without what installs and what Colab alone has."""
    lines = [
        line for line in cell.splitlines() if not re.match(r"%pip|from google|drive|out", line)
    ]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / ".ipython")}
    env.pop("MINIGRAD_REVEAL", None)
    source = "\n".join(lines).replace(DRIVE, str(folder))
    call = [sys.executable, "-c", CELL, source]
    done = subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Where the page's first cell has been run."""
    folder = tmp_path_factory.mktemp("page") / "home"
    folder.mkdir()
    assert "working copies made" in in_a_new_kernel(cells()[0], folder)
    return folder


@pytest.mark.parametrize("place", range(len(cells())))
@pytest.mark.parametrize("within", [".", "my"])
def test_a_cell_of_the_page_works_in_a_kernel_that_was_just_started(begun, within, place):
    in_a_new_kernel(cells()[place], begun / within)


def test_the_page_has_a_cell_for_all_that_can_be_called():
    said = "".join(cells())
    public = [
        name for name, it in vars(here).items() if getattr(it, "__module__", "") == here.__name__
    ]
    calls = [name for name in public if not name.startswith("_") and name != "CannotStart"]
    assert calls and all(f"course.here.{name}(" in said for name in calls)


# --- bad input -----------------------------------------------------------------------------


def refused(call, *given):
    with pytest.raises(here.CannotStart) as refusal:
        call(*given)
    [sentence] = refusal.value._render_traceback_()
    assert "\n" not in sentence and sentence.endswith(".")
    return sentence


@pytest.mark.parametrize("call", [here.submit, here.update])
def test_nothing_goes_before_a_start(course, call):
    assert "run course.here.start() first" in refused(call)


def test_a_folder_of_somebody_else_is_left_alone(course):
    Path("my").mkdir()
    Path("my/diary.txt").write_text("mine")
    assert "is not the course's: give another folder" in refused(here.start)
    assert [path.name for path in Path("my").iterdir()] == ["diary.txt"]


def test_a_file_in_the_place_of_the_folder_is_a_sentence(course):
    Path("file").write_text("")
    assert "file" in refused(here.start, "file")


def test_a_broken_exercise_is_not_handed_in_unseen(course):
    here.start()
    Path("my", NAME).write_text("{")
    assert "is not a notebook" in refused(here.submit)


def test_no_exercise_is_a_sentence_with_the_way_to_get_them(course):
    here.start()
    Path("my", NAME).unlink()
    assert "`course.here.start()` makes your working copies" in refused(here.submit)


def test_a_course_without_its_extra_is_told_at_once(course, monkeypatch):
    asked = ["numpy>=2", 'no-such.thing>=11; extra == "kernel"', 'torch; extra == "bench"']
    monkeypatch.setattr(here.metadata, "requires", lambda name: asked)
    said = refused(here.start)
    assert said.startswith("no-such.thing cannot be found: ")
    assert "minigrad-course[kernel]" in said and not Path("my").exists()


def test_a_notebook_shows_the_sentence_and_no_stack(tmp_path):
    code = (
        "from IPython.core.interactiveshell import InteractiveShell as S;"
        "S.instance().run_cell('import course.here; course.here.submit()')"
    )
    root = Path(here.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(root), "IPYTHONDIR": str(tmp_path)}
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, cwd=tmp_path, env=env, capture_output=True, text=True)
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout).strip()
    assert said == "No working copies are known here: run course.here.start() first."
