"""A teacher's own exercises are made, handed out, checked and graded as the course's are."""

import asyncio
import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbclient
import nbformat
import pytest
from private_made import ANSWERS, CASES, LESSON, RIGHT, THIEF, WRONG, line, write
from sandbox_rooms import refusal

from course import copies
from course.build import planted, private
from course.build.__main__ import main
from course.build.private import BrokenSources
from course.build.project import Project, work_on
from course.classroom import grade, reference, release
from course.trying import cases

ROOT = Path(__file__).resolve().parents[2]
FILE = "31_bytes_of_a_batch.ipynb"
SOURCE, TRIED = "ours/31_bytes_of_a_batch.py", "ours/cases_31.py"
SOLUTION = "images * side * side * channels * 4"


def python(root, *command, code=0, **environment):
    """Run it on the course in `root`; what it printed."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder, built by the command, and what that said."""
    folder = write(tmp_path_factory.mktemp("teacher") / "ours")
    options = json.dumps({"private": str(folder)})
    return folder, python(ROOT, "-m", "course.build", "build", options)


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    """A learner's copy of the course."""
    folder = tmp_path_factory.mktemp("class")
    options = {"out": str(folder / "c.zip"), "private": str(built[0])}
    python(ROOT, "-m", "course.cli", "release", json.dumps(options))
    with zipfile.ZipFile(folder / "c.zip") as made:
        made.extractall(folder)
    return folder / "minigrad"


@pytest.fixture
def fresh(monkeypatch):
    """The cases that a test loads are forgotten after it."""
    cases.exercises()
    kept = {id: list(own) for id, own in cases._cases.items()}
    for name, value in ("_cases", kept), ("_lessons", {**cases._lessons}), ("_loaded", set()):
        monkeypatch.setattr(cases, name, value)
    monkeypatch.setenv(cases.PRIVATE, "")


# --- made ----------------------------------------------------------------------------------


def test_it_is_built_and_proved_with_the_notebooks_and_what_is_expected(built):
    folder, said = built
    assert "1 lesson proved" in said
    made = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*/*"))
    names = [f"{name}/{FILE}" for name in ("exercises", "notebooks", "solutions")]
    assert made == sorted([*names, "expected/31.json"])
    assert set(json.loads((folder / "expected/31.json").read_text())) == {"batch_bytes"}
    assert SOLUTION in (folder / "solutions" / FILE).read_text()
    assert SOLUTION not in (folder / "exercises" / FILE).read_text()
    assert "every case passed" in (folder / "solutions" / FILE).read_text()


def test_answers_that_break_their_word_are_named_with_their_line(tmp_path, fresh):
    broken = ANSWERS.replace("How many bytes has one", "Something else")
    broken = broken.replace("side**2", "side**3").replace("1 of 4", "2 of 4")
    broken += '\n\n# %% answer="batch_bytes" wrong="x"\n' + RIGHT
    broken += '\n\n# %% answer="other" style="x"\n' + RIGHT
    broken += '\n\n# %% answer="batch_bytes" style="x"\nimport os\nos._exit(0)\n'
    stub = "    ### STUB\n    # return 4 * images * side * side\n    ### END SOLUTION"
    lesson = LESSON.replace("    ### END SOLUTION", stub)
    project, lessons = private.opened(write(tmp_path / "ours", lesson=lesson, answers=broken))
    with work_on(project) as work:
        proof = planted.prove(lessons[0], work, project.root / "answers_31.py")
        found = asyncio.run(proof)
    lines = [n for n, line in enumerate(broken.splitlines(), 1) if "# %%" in line]
    heads = [f"ours/answers_31.py:{line}: " for line in lines]
    assert [why.startswith(head) for why, head in zip(found, heads, strict=False)] == [True] * 6
    first, style, spare, wrong, other, ends, stub = found
    assert "is told 'Those are elements. How many bytes" in first and "not 'Something" in first
    assert "another order of batch_bytes gets 0 of 4 and fails 'grey images'" in style
    assert "gets 1 of 4, not 2 of 4" in spare
    assert "this wrong answer of batch_bytes gets all points" in wrong
    assert "has no exercise other" in other and "ends in nothing" in ends
    assert stub.startswith(f"{SOURCE}:{WHERE}: the stub of batch_bytes gets 1 of 4")


WHERE, END = line(LESSON, "# %% exercise"), len(CASES.splitlines()) + 1
GUESSED = """

@case("batch_bytes", "one of two")
def one_of_two(f, draw):
    return f(draw.int(1, 2), 8, 1)


@case("batch_bytes", "always the same", invariant=True, needs=("one of two",))
def always_the_same(f, draw):
    return f(0, 8, 1)
"""


def test_a_point_that_is_not_drawn_is_named_with_its_line(tmp_path, fresh, capsys):
    folder = write(tmp_path / "ours", cases=CASES + GUESSED)
    assert main("build", private=folder) == 1
    said = capsys.readouterr()
    text = said.out + said.err
    assert f"{TRIED}:{END + 2}: 'one of two' expects the same in " in text
    assert f"{TRIED}:{END + 7}: 'always the same' counts only with values that are drawn" in text
    assert "grey images" not in text


def renumbered(text, number):
    return text.replace("# # 31 ", f"# # {number} ")


CASE = '\n\n@case("{}", "one more")\ndef more(f, draw):\n    return f(1, 2, draw.int(1, 9))\n'
REFUSED = {
    "the course's number": (
        {"lesson": renumbered(LESSON, "04"), "number": "04"},
        "ours/04_bytes_of_a_batch.py:1: the number 04 is the course's; name yours ",
    ),
    "no cases": (
        {"cases": None},
        f"{SOURCE}:{WHERE}: the exercise batch_bytes has no case; write one in "
        "ours/cases_31.py",
    ),
    "a case of nothing": (
        {"cases": CASES + CASE.format("batch_size")},
        f"{TRIED}:{END + 2}: ours/31_bytes_of_a_batch.py has no exercise batch_size; add",
    ),
    "an exercise of the course": (
        {"cases": CASES + CASE.format("held_by_chain")},
        f"{TRIED}:{END + 2}: the exercise held_by_chain has cases in two lessons; rename one\n",
    ),
    "a case twice": (
        {"cases": CASES + CASE.format("batch_bytes").replace("one more", "grey images")},
        f"{TRIED}:{END + 2}: the exercise batch_bytes has two cases named 'grey images'; "
        "rename one\n",
    ),
    "no Python": (
        {"cases": CASES + "def broken(:\n"},
        f"{TRIED}:{END}: invalid syntax; mend it",
    ),
    "an error": (
        {"cases": CASES + "1 / 0\n"},
        f"{TRIED}:{END}: ZeroDivisionError: division by zero; mend it",
    ),
    "a file beside it": (
        {"cases": CASES + "import answers_31\n"},
        f"{TRIED}:{END}: No module named 'answers_31'; cases can import the course, and",
    ),
    "no exercise": (
        {"lesson": LESSON.split("# %% [markdown] card")[0], "cases": ""},
        "ours/31_bytes_of_a_batch.py:1: no exercise; add a cell with exercise=",
    ),
    "no check": (
        {"lesson": LESSON.replace('# %% check="batch_bytes"\ncheck(batch_bytes)\n', "")},
        f"{SOURCE}:{WHERE}: the exercise batch_bytes has no check; add a cell with",
    ),
    "a broken source": (
        {"lesson": LESSON.replace("images * side * side * channels * 4", "(")},
        f"{SOURCE}:{WHERE + 4}: not Python: '(' was never closed",
    ),
    "an unknown key": (
        {"lesson": LESSON.replace("minutes=3", "minute=3")},
        f"{SOURCE}:{WHERE}: unknown key 'minute'; known keys: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_one_sentence_with_file_and_line_at_once(case, tmp_path, fresh, capsys):
    given, sentence = REFUSED[case]
    folder = write(tmp_path / "ours", **given)
    before = sorted(folder.iterdir())
    assert main("build", private=folder) == 2
    said = capsys.readouterr()
    assert said.err.startswith(sentence) and said.err.count("\n") == 1, said.err
    assert said.out == "" and sorted(folder.iterdir()) == before


def test_other_files_of_the_folder(tmp_path, fresh):
    folder = write(tmp_path / "ours")
    (folder / "cases_32.py").write_text("")
    with pytest.raises(BrokenSources, match="ours/cases_32.py:1: no lesson has the number 32"):
        private.opened(folder)
    (folder / "cases_32.py").unlink()
    (folder / "32-ours.py").write_text("")
    with pytest.raises(BrokenSources, match="ours/32-ours.py:1: a lesson file is named NN_topic"):
        private.opened(folder)
    (folder / "32-ours.py").unlink()
    (folder / "notes.py").write_text("1 / 0")
    assert private.opened(folder)[1][0].number == "31"


def test_places_that_cannot_be(tmp_path, fresh):
    for folder, why in (
        (tmp_path / "none", "is no folder: name the one that holds NN_topic.py"),
        (ROOT, "give your exercises a folder of theirs"),
        (ROOT.parent, "give your exercises a folder of theirs"),
        (Path("/"), "give your exercises a folder of theirs"),
        (ROOT / "lessons", "lies in the course's lessons/"),
    ):
        with pytest.raises(BrokenSources, match=why):
            private.opened(folder)
    with pytest.raises(private.UnknownLesson, match=r"no lesson in .*; add NN_topic.py"):
        private.opened(tmp_path)


# --- handed out ----------------------------------------------------------------------------


def test_what_was_not_built_anew_is_handed_out_to_nobody(built, tmp_path, fresh):
    folder = copied(built[0], tmp_path / "ours")
    options = folder, tmp_path / "out.zip"
    (folder / "exercises" / FILE).unlink()
    refused(*options, "ours/exercises/31_bytes_of_a_batch.ipynb is missing")
    folder = copied(built[0], folder)
    source = folder / "31_bytes_of_a_batch.py"
    source.write_text(source.read_text().replace("how many bytes", "how much"))
    refused(*options, "ours/exercises/31_bytes_of_a_batch.ipynb is older than ours/31_")
    folder = copied(built[0], folder)
    (folder / "expected/31.json").write_text("{}")
    refused(*options, "ours/expected/31.json lacks cases of batch_bytes")
    assert not options[1].exists()


def copied(folder, to):
    for path in folder.rglob("*.*"):
        copies.write_bytes(to / path.relative_to(folder), path.read_bytes())
    return to


def refused(folder, out, sentence):
    with pytest.raises(release.CannotRelease, match=sentence) as caught:
        release.make(ROOT, out, folder)
    assert f"run.py build --private {folder}` makes it." in str(caught.value)


def test_a_class_gets_the_exercise_and_nothing_that_solves_it(unpacked):
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*31*")}
    assert names == {
        f"exercises/{FILE}", f"notebooks/{FILE}", "course/cases/lesson_31.py",
        "course/cases/expected/31.json",
    }  # fmt: skip
    texts = [p.read_text("utf-8") for p in unpacked.rglob("*") if p.suffix in (".py", ".ipynb")]
    assert len(texts) > 100 and not [text for text in texts if SOLUTION in text]
    assert "solutions" not in (unpacked / "exercises" / FILE).read_text("utf-8")


def test_a_folder_that_git_tracks_is_left_out_too(tmp_path):
    files = ["exercises/04.ipynb", "ours/cases_31.py", "ours/31_x.py", "ours/solutions/31_x.ipynb"]
    for name in [*files, "course/cases/lesson_04.py"]:
        copies.write(tmp_path / "c" / name, name)
    for command in ["init", "-q"], ["add", "-A"]:
        subprocess.run(["git", "-C", tmp_path / "c", *command], check=True)
    made = release.make(tmp_path / "c", tmp_path / "out.zip")
    assert made == ["course/cases/lesson_04.py", "exercises/04.ipynb"]


# --- checked, handed in and graded ---------------------------------------------------------


def written(root, source):
    """The learner's working copy, with this answer in it."""
    copies.make(root)
    path = root / "my/exercises" / FILE
    copy = nbformat.read(root / "exercises" / FILE, as_version=4)
    for cell in copy.cells:
        if cell.metadata.get("minigrad", {}).get("role") == "answer" and source:
            cell.source = source
    nbformat.write(copy, path)
    return path


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (RIGHT, "batch_bytes: every case passed, 4 of 4 points"),
        (WRONG, "How many bytes has one float32?"),
        ("", "batch_bytes: not written yet"),
    ],
)
def test_check_tells_in_a_kernel_of_the_class(unpacked, source, told):
    notebook = nbformat.read(written(unpacked, source), as_version=4)
    path = str(unpacked / "my/exercises")
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": path}})
    client.execute(env=environment)
    assert told in json.dumps([cell.get("outputs") for cell in notebook.cells])


@pytest.fixture(scope="module")
def handed(built, unpacked, tmp_path_factory):
    """The zips of a class, as `submit` made them."""
    folder = tmp_path_factory.mktemp("handed")
    thief = THIEF.replace("FOLDER", repr(str(built[0])))
    for name, source in ("ada", RIGHT), ("bob", WRONG), ("cleo", ""), ("eve", thief):
        written(unpacked, source)
        python(unpacked, "-m", "course.cli", "submit", json.dumps({"name": name}))
        made = unpacked / f"my/minigrad-{name}.zip"
        made.rename(folder / made.name)
    return folder


def graded(handed, out, **more):
    """{learner: points}, of exercises that nobody else has; and the folder of the books."""
    options = {"submissions": str(handed), "out": str(out), "seed": "s"}
    python(ROOT, "-m", "course.cli", "grade", json.dumps(options | more))
    rows = csv.DictReader(io.StringIO((out / "grades.csv").read_text("utf-8-sig")))
    return {row["student"]: row["batch_bytes"] for row in rows}


def test_right_gets_all_the_stub_none_the_wrong_its_hint_and_the_thief_nothing(
    built, handed, tmp_path
):
    if refusal():
        pytest.skip(refusal())
    (built[0].parent / "class.toml").write_text('private = "ours"\n')
    klass = str(built[0].parent / "class.toml")
    wanted = {"ada": "4", "bob": "0", "cleo": "0", "eve": "0"}
    assert graded(handed, tmp_path, klass=klass) == wanted
    assert "How many bytes has one float32?" in (tmp_path / "learners/bob.html").read_text("utf-8")
    eve = (tmp_path / "learners/eve.html").read_text("utf-8")
    assert "nothing to be had" in eve and SOLUTION not in eve
    assert "Bytes of a batch" in (tmp_path / "gradebook.html").read_text("utf-8")


def test_not_isolated_the_thief_finds_it(built, handed, tmp_path):
    """As docs/grading.md says of plain mode; so the thief above did look in the right place."""
    assert graded(handed, tmp_path, private=str(built[0]), isolate=False)["eve"] == "4"


class Opened(Exception):
    """What a room was to be opened with."""


def test_the_folder_is_hidden_and_its_cases_are_loaded_wherever_it_lies(
    built, handed, tmp_path, monkeypatch, fresh
):
    def opened(isolate, hide, load):
        raise Opened(hide, load)

    monkeypatch.setattr(reference, "Room", opened)
    with pytest.raises(Opened) as caught:
        grade.grade(grade.Options(handed, tmp_path / "out", "s", private=built[0]))
    hide, load = caught.value.args
    assert built[0] in hide and load == [built[0] / "cases_31.py"]


def test_a_folder_that_cannot_be_graded_is_a_sentence(built, handed, tmp_path):
    folder = copied(built[0], tmp_path / "ours")
    (folder / "solutions" / FILE).unlink()
    options = {"submissions": str(handed), "out": str(tmp_path / "out"), "private": str(folder)}
    said = python(ROOT, "-m", "course.cli", "grade", json.dumps(options), code=2)
    assert said.startswith(f"ours/solutions/{FILE} is missing") and said.count("\n") == 1


def test_what_is_not_asked_for_is_not_there(built):
    """The variable alone opens nothing."""
    code = "from course.build.private import opened; opened(None)\n"
    code += "from course.trying import cases; print('31' in cases.exercises())"
    assert python(ROOT, "-c", code, MINIGRAD_PRIVATE=str(built[0])) == "False\n"
    assert Project().private is False
