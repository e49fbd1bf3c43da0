"""What a learner hands in is small and whole; what a class gets works and holds no solution."""

import importlib.util
import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from course import cli, copies
from course.classroom import archive, release, submit
from course.classroom.handout import handouts
from course.classroom.inbox import MANIFEST, submissions
from tests.stopped import stop

ROOT = Path(__file__).resolve().parents[2]
FILE = "04_which_is_freed.ipynb"
STUB = "def freed(x):\n    raise NotImplementedError('freed: not written yet')"


def names(data):
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return made.namelist()


# --- pack ----------------------------------------------------------------------------------


def test_the_same_files_are_the_same_zip_in_any_order():
    one = archive.pack({"b/run": b"1", "a": b"2" * 999}, {"b/run"})
    assert one == archive.pack({"a": b"2" * 999, "b/run": b"1"}, {"b/run"})
    with zipfile.ZipFile(io.BytesIO(one)) as made:
        assert made.namelist() == ["a", "b/run"] and made.testzip() is None
        modes = [stat.S_IMODE(info.external_attr >> 16) for info in made.infolist()]
        assert modes == [0o644, 0o755]
        assert made.read("a") == b"2" * 999


# --- zips that are read --------------------------------------------------------------------


def inside(data):
    """{name: bytes or sentence} of a zip's entries."""
    found = {}
    for entry in archive.inside(data):
        try:
            found["/".join(entry.parts)] = entry.read(99)
        except archive.Trouble as trouble:
            found["/".join(entry.parts)] = str(trouble)
    return found


def patched(data, flags=None, method=None):
    """The zip with other flags or another method in both headers of its one file."""
    data = bytearray(data)
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(mark) + place
        data[at] = data[at] if flags is None else flags
        data[at + 2] = data[at + 2] if method is None else method
    return bytes(data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: patched(data, flags=1), "is encrypted: zip it without a password"),
        (lambda data: patched(data, method=12), "is packed in an unusual way"),
        (lambda data: patched(data, method=99), "is packed in an unusual way"),
        (lambda data: data.replace(b"xxx", b"xyx", 1), "is damaged: zip it again"),
    ],
)
def test_a_member_that_cannot_be_read_says_why(change, words):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as made:
        made.writestr("a.txt", "x" * 50)
    assert words in inside(change(buffer.getvalue()))["a.txt"]


def test_a_link_in_a_zip_is_no_file():
    info = zipfile.ZipInfo("a.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr(info, "/etc/passwd")
    assert inside(buffer.getvalue()) == {"a.ipynb": "is a link: hand in the file itself"}


def test_no_more_is_read_than_asked_for():
    data = archive.pack({"a": b" " * 10**6})
    [entry] = archive.inside(data)
    assert len(entry.read(99)) == 100


def test_a_zip_of_very_many_files_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_FILES", 20)
    with pytest.raises(archive.Trouble, match="files: hand in the notebooks only"):
        archive.inside(archive.pack({f"{n}": b"" for n in range(21)}))


@pytest.mark.parametrize("data", [b"", b"PK\3\4", b"x" * 99, b"PK\5\6" + b"\0" * 9, b"PK\5\6" * 9])
def test_what_is_no_zip_is_a_sentence(data):
    with pytest.raises(archive.Trouble, match="is not a zip, or only part of one"):
        archive.inside(data)


# --- submit --------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    """A course with one exercise notebook and its working copy."""
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None}
    mark = {"minigrad": {"exercise": "freed", "role": "answer"}}
    cells = [{**cell, "source": "import os"}, {**cell, "source": STUB, "metadata": mark, "id": "b"}]
    text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    for folder in "exercises", "my/exercises":
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / FILE).write_text(text)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"\n')
    handouts.cache_clear()
    yield tmp_path
    handouts.cache_clear()


def test_the_zip_holds_the_answers_and_no_outputs(course):
    mine = course / "my/exercises" / FILE
    output = {"output_type": "stream", "name": "stdout", "text": "secret " * 9999}
    changed = json.loads(mine.read_text())
    changed["cells"][1] |= {"source": "def freed(x): return 'é'", "outputs": [output]}
    mine.write_text(json.dumps(changed))
    path = submit.make(course)
    assert path == course / "my/minigrad-submission.zip"
    with zipfile.ZipFile(path) as made:
        assert made.namelist() == [MANIFEST, f"my/exercises/{FILE}"]
        text = made.read(f"my/exercises/{FILE}").decode()
        assert "secret" not in text and "return 'é'" in text
        assert json.loads(made.read(MANIFEST))["course"] == "1.2"
    assert mine.read_text() == json.dumps(changed), "the copy itself stays as it is"
    first = path.read_bytes()
    assert submit.make(course).read_bytes() == first


def test_what_was_submitted_is_what_the_grader_reads(course):
    path = submit.make(course, "Ada Lovelace / É")
    assert path.name == "minigrad-Ada-Lovelace-É.zip"
    [one] = submissions(path, handouts(course))
    assert one.name == "Ada-Lovelace-É" and one.file("04").notebook and one.notes == ()


def test_the_unsolved_are_named(course):
    assert submit.unsolved(course) == {FILE: ["freed"]}
    mine = course / "my/exercises" / FILE
    mine.write_text(mine.read_text().replace("raise NotImpl", "return NotImpl"))
    assert submit.unsolved(course) == {}
    mine.rename(mine.with_name("diary.ipynb"))
    assert submit.unsolved(course) == {FILE: ["freed"]}


def test_a_lesson_that_is_not_begun_is_a_number_and_no_list(course):
    for lesson in "05", "06":
        text = (course / "exercises" / FILE).read_text()
        (course / "exercises" / f"{lesson}_more.ipynb").write_text(text)
    said: list[str] = []
    submit.submit(course, say=said.append)
    assert said[:-1] == ["exercises not begun: lessons 04, 05, 06"]
    mark = {"minigrad": {"exercise": "kept", "role": "answer"}}
    for path in course / "exercises" / FILE, course / "my/exercises" / FILE:
        data = json.loads(path.read_text())
        data["cells"].append(
            data["cells"][1] | {"metadata": mark, "source": "def kept(): ...", "id": "c"}
        )
        path.write_text(json.dumps(data))
    mine = course / "my/exercises" / FILE
    mine.write_text(mine.read_text().replace("raise NotImpl", "return NotImpl"))
    handouts.cache_clear()
    said.clear()
    submit.submit(course, say=said.append)
    assert said[:-1] == [f"not solved yet in {FILE}: kept", "exercises not begun: lessons 05, 06"]


def test_nothing_to_submit_is_a_sentence(course):
    (course / "my/exercises" / FILE).rename(course / "my/exercises/.x.ipynb")
    with pytest.raises(submit.NothingToSubmit, match="python3 run.py lab"):
        submit.make(course)


def test_a_broken_copy_is_not_handed_in_unseen(course):
    (course / "my/exercises" / FILE).write_text("{")
    with pytest.raises(copies.BrokenNotebook):
        submit.make(course)
    assert not list(course.glob("my/*.zip"))


# --- release -------------------------------------------------------------------------------


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    files = ["run.py", "exercises/04.ipynb", "solutions/04.ipynb", "lessons/04.py", "tests/a.py"]
    files += [".github/x", "é/a b.txt", "my/exercises/04.ipynb", "minigrad/lessons.py"]
    for name in files:
        (tmp_path / "c" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "c" / name).write_text(name)
    (tmp_path / "c/run.py").chmod(0o755)
    (tmp_path / "c/.gitignore").write_text("/my/\n")
    git(tmp_path / "c", "init", "-q")
    git(tmp_path / "c", "add", "-A")
    return tmp_path / "c"


def test_a_release_is_what_git_tracks_without_the_solutions(checkout, tmp_path):
    (checkout / "untracked.py").write_text("")
    made = release.make(checkout, tmp_path / "out.zip")
    wanted = [".gitignore", "exercises/04.ipynb", "minigrad/lessons.py", "run.py", "é/a b.txt"]
    assert made == wanted
    data = (tmp_path / "out.zip").read_bytes()
    assert names(data) == [f"minigrad/{name}" for name in wanted]
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert opened.getinfo("minigrad/run.py").external_attr >> 16 & 0o111


def test_a_release_is_the_same_twice(checkout, tmp_path):
    release.make(checkout, tmp_path / "1.zip")
    os.utime(checkout / "run.py", (1, 1))
    release.make(checkout, tmp_path / "2.zip")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_no_release_is_a_sentence(checkout, tmp_path, monkeypatch):
    (checkout / "run.py").unlink()
    with pytest.raises(release.CannotRelease, match="is tracked and gone"):
        release.make(checkout, tmp_path / "out.zip")
    git(checkout, "rm", "-q", "--cached", "exercises/04.ipynb")
    with pytest.raises(release.CannotRelease, match="build and commit them first"):
        release.make(checkout, tmp_path / "out.zip")
    with pytest.raises(release.CannotRelease, match="is not a git checkout"):
        release.make(tmp_path, tmp_path / "out.zip")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(release.CannotRelease, match="git is missing"):
        release.make(checkout, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The release of this very course, unpacked as a learner has it."""
    folder = tmp_path_factory.mktemp("class")
    try:
        release.make(ROOT, folder / "class.zip")
    except release.CannotRelease as reason:
        pytest.skip(str(reason))
    with zipfile.ZipFile(folder / "class.zip") as made:
        made.extractall(folder)
    return folder / "minigrad"


def test_the_class_gets_no_solution(unpacked):
    solutions = ROOT.glob("solutions/*.ipynb")
    cells = [cell for path in solutions for cell in copies.load(path)["cells"]]
    answers = [
        copies.source(cell)
        for cell in cells
        if cell["metadata"].get("minigrad", {}).get("role") == "answer"
    ]
    texts = [path.read_text("utf-8") for path in unpacked.rglob("*") if path.suffix == ".py"]
    texts += [
        copies.source(cell)
        for path in unpacked.rglob("*.ipynb")
        for cell in copies.load(path)["cells"]
    ]
    assert answers and texts
    assert not [answer for answer in answers if any(answer in text for text in texts)]


LINK = re.compile(r"\]\(([^)#]+)\)")
# What can be said to a shell; a README that names anything else must say here how it is tried.
SPOKEN = re.compile(r"^(?:python3?|pip|conda|mamba|git|\.venv/\S+|\.ci/\S+)\s.*", re.MULTILINE)


def commands(text):
    """Every command that a text names, in a block of its own or within a line."""
    fence = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    inline = re.findall(r"`([^`]+)`", fence.sub("", text))
    parts = [*fence.findall(text), *(" ".join(part.split()) for part in inline)]
    spoken = [found for part in parts for found in SPOKEN.findall(part)]
    return sorted({" ".join(command.split()) for command in spoken})


def test_every_command_of_the_class_works_there(unpacked, monkeypatch):
    monkeypatch.chdir(unpacked)
    named = commands((unpacked / "README.md").read_text("utf-8"))
    spec = importlib.util.spec_from_file_location("run_of_the_class", unpacked / "run.py")
    run = importlib.util.module_from_spec(spec)  # by its file: tests/twin has a run.py, too
    spec.loader.exec_module(run)
    assert {f"python3 run.py {name}" for name in ("lab", "update", "submit")} <= set(named)
    for command in named:
        words = shlex.split(command)
        if words[:2] == ["python3", "run.py"]:
            words += ["--no-browser"] * ("lab" in words)
            works(unpacked, run.module_call(run.parser().parse_args(words[2:])))
        elif words[-3:-1] == ["install", "-e"]:
            installs(unpacked, words[-1])
        else:
            assert words[:4] == ["conda", "env", "create", "--file"], command
            assert (unpacked / words[4]).is_file()


def works(folder, call):
    """The command ends well; the lab, which does not end, gives its address."""
    lab = "lab" in call
    process = subprocess.Popen(
        [sys.executable, *call],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "HOME": str(folder.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        said = []
        for line in process.stdout:
            said.append(line)
            if lab and "/lab/tree/my/notebooks/00_welcome.ipynb" in line:
                stop(process)
                return
        assert process.wait() == 0 and not lab, "".join(said)


def installs(folder, what):
    """The project names the extra, and the files that its build reads are there."""
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    extras = re.fullmatch(r"\.\[(.*)\]", what)[1].split(",")
    assert set(extras) <= set(project["project"]["optional-dependencies"])
    needed = [project["project"]["readme"], *project["project"]["license-files"]]
    needed += project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert all((folder / name).exists() for name in needed)


def test_every_link_of_the_class_leads_somewhere(unpacked):
    pages = [unpacked / "README.md", *unpacked.glob("*/README.md")]
    links = [(page, link) for page in pages for link in LINK.findall(page.read_text("utf-8"))]
    assert len(pages) > 2 and len(links) > 20
    local = [(page, link) for page, link in links if "://" not in link]
    assert [link for page, link in local if not (page.parent / link).exists()] == []


def test_the_help_of_the_class_names_what_works_there(unpacked):
    done = subprocess.run(
        [sys.executable, "run.py", "--help"], cwd=unpacked, capture_output=True, text=True
    )
    named = set(re.findall(r"^    ([a-z]+)", done.stdout, re.M))
    assert named == {"lab", "update", "submit", "progress"}, done.stderr
    ours = subprocess.run(
        [sys.executable, "run.py", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert {*cli.NEEDED, *named, "gpu", "build", "check", "release", "site"} == set(
        re.findall(r"^    ([a-z]+)", ours.stdout, re.M)
    )
    assert "Exit codes: 0 done; 1 done, and" in " ".join(ours.stdout.split())


def test_a_class_gets_no_page_for_teachers(unpacked):
    pages = {path.name for path in unpacked.glob("docs/*.md")}
    assert "anywhere.md" in pages and not pages & {"grading.md", "class.toml.md", "private.md"}


def test_no_command_that_a_class_cannot_do_is_named_there(unpacked):
    text = (unpacked / "README.md").read_text("utf-8")
    named = set(re.findall(r"^(?:python3 )?run\.py (\w+)|`(?:python3 )?run\.py (\w+)", text, re.M))
    named = {name for pair in named for name in pair}
    assert {"lab", "submit"} <= named and not named & {*cli.NEEDED, "gpu", "build", "check"}


@pytest.mark.parametrize("command", ["test", "bench", "grade"])
def test_what_a_class_cannot_do_is_a_sentence(command, unpacked, monkeypatch, capsys):
    monkeypatch.setattr(cli, "ROOT", unpacked)
    assert cli.main(command) == 2
    assert "is no part of a class's copy: clone the course" in capsys.readouterr().err


def test_the_lab_starts_the_checks_check_and_submit_submits_in_it(unpacked):
    code = (
        "from course import cli, copies; import course; print(course.__file__);"
        "cli.require_lessons(); copies.make(cli.ROOT);"
        "from course.trying import cases, check;"
        "exercise = cases.exercises()['04'][0];"
        "f = lambda *a: 0; f.__name__ = exercise; check(f); print(cli.main('submit'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=unpacked,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    first, *_, made, last = done.stdout.splitlines()
    assert Path(first).is_relative_to(unpacked)
    assert "expected" in done.stdout and "points" in done.stdout
    assert made.startswith("Made my") and last == "0"
