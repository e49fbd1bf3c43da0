"""run.py says every trouble in one sentence, and an unfinished .venv never counts as finished."""

import ast
import errno
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "run.py"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """run.py, loaded afresh and pointed at an empty project."""
    spec = importlib.util.spec_from_file_location("run_under_test", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, value in {
        "ROOT": tmp_path,
        "VENV": tmp_path / ".venv",
        "LOCK": tmp_path / "requirements.lock",
        "STAMP": tmp_path / ".venv/minigrad-stamp.txt",
        "LOG": tmp_path / ".venv/install.log",
    }.items():
        monkeypatch.setattr(module, name, value)
    module.LOCK.write_text("numpy==2.4.6\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    return module


@pytest.fixture
def fake_uv(run, tmp_path, monkeypatch):
    """Puts a program called uv, with this text, first on the PATH."""

    def install(text):
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "uv").write_text(text)
        (folder / "uv").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return install


def pretend_finished(run):
    run.venv_python().parent.mkdir(parents=True)
    run.venv_python().symlink_to(sys.executable)
    run.STAMP.write_text(run.stamp())


def raising(error):
    def fail(*args, **kwargs):
        raise error

    return fail


# --- it starts anywhere --------------------------------------------------------------------


def test_it_can_be_read_by_a_python_too_old_to_run_it():
    ast.parse(SOURCE.read_text(), feature_version=(3, 6))


def test_it_needs_nothing_installed():
    tree = ast.parse(SOURCE.read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    names = {alias.name.partition(".")[0] for node in imports for alias in node.names}
    assert names <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


def test_an_old_python_gets_one_sentence(run, monkeypatch, capsys):
    with pytest.raises(run.Stop, match=r"needs Python 3.11 or newer and this is 3.10: install"):
        run.check_python((3, 10, 13), "lab")
    monkeypatch.setattr(run, "OLDEST", (99, 0))
    assert run.main(["lab"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def old_python():
    for name in "python3.10", "python3.9", "python3.8", "python3.7", "python3.6":
        path = shutil.which(name)
        # A version manager's shim may be there without the Python behind it.
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    return None


def test_a_real_old_python_gets_that_sentence():
    if (python := old_python()) is None:
        pytest.skip("no Python older than 3.11 on the PATH")
    done = subprocess.run([python, SOURCE, "lab"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("minigrad needs Python 3.11 or newer")


# --- commands ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "call", "given"),
    [
        ("lab", "course.cli lab", {}),
        ("lab --port 8890 --no-browser", "course.cli lab", {"port": 8890, "browser": False}),
        ("lab --port 0", "course.cli lab", {"port": 0}),
        ("lab --torch", "course.cli lab", {"torch": True}),
        ("test", "course.cli test", {}),
        ("test --long", "course.cli test", {"long": True}),
        ("update", "course.cli update", {}),
        ("build", "course.build build", {}),
        ("build --nbgrader /c", "course.build build", {"nbgrader": "/c"}),
        ("check 03 04", "course.build check", {"lessons": ["03", "04"]}),
        ("check --jitter 7", "course.build check", {"jitter": "7"}),
        ("submit", "course.cli submit", {}),
        ("submit --name=-Ada-", "course.cli submit", {"name": "-Ada-"}),
        ("progress --save /f", "course.cli progress", {"save": "/f"}),
        ("progress --load /f", "course.cli progress", {"load": "/f"}),
        ("release -o /tmp/class.zip", "course.cli release", {"out": "/tmp/class.zip"}),
        ("bench", "course.cli bench", {}),
        (
            "bench chain conv --rounds 3 --quick --out /out",
            "course.cli bench",
            {"cases": ["chain", "conv"], "rounds": 3, "quick": True, "out": "/out"},
        ),
        ("site", "course.site", {}),
        (
            "site --base-url https://example.org/c/ -o /out",
            "course.site",
            {"base_url": "https://example.org/c/", "out": "/out"},
        ),
        ("truth", "course.cli truth", {}),
        ("truth --torch 2.14.1 --strict", "course.cli truth", {"torch": "2.14.1", "strict": True}),
        ("gpu", "benchmarks.gpu", {}),
        (
            "gpu checks lesson --simulate --out /out",
            "benchmarks.gpu",
            {"stages": ["checks", "lesson"], "simulate": True, "out": "/out"},
        ),
        ("grade /in -o /out", "course.cli grade", {"submissions": "/in", "out": "/out"}),
        (
            "grade /in -o /out --isolate",
            "course.cli grade",
            {"submissions": "/in", "out": "/out", "isolate": True},
        ),
        (
            "grade /in -o /out --seed=-7 --plain --again --fail-under 50 --jobs 4 --class /c"
            " --lessons 04,05",
            "course.cli grade",
            {"submissions": "/in", "out": "/out", "seed": "-7", "isolate": False, "again": True}
            | {"fail_under": 50.0, "jobs": 4, "klass": "/c", "lessons": ["04", "05"]},
        ),
    ],
)
def test_each_command_has_its_module_and_is_told_what_was_given(run, arguments, call, given):
    (run.ROOT / "benchmarks" / "gpu").mkdir(parents=True)
    dash_m, *words = run.module_call(run.parser().parse_args(arguments.split()))
    told = json.loads(words.pop()) if given else {}
    assert (dash_m, words, told) == ("-m", call.split(), given)


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        ("release", {"out": "minigrad-class.zip"}),
        ("release -o x.zip", {"out": "x.zip"}),
        ("grade in -o out --class c", {"submissions": "in", "out": "out", "klass": "c"}),
        ("bench --out out", {"out": "out"}),
        ("gpu --out out", {"out": "out"}),
        ("build --nbgrader out", {"nbgrader": "out"}),
    ],
)
def test_a_place_is_meant_from_where_the_command_was_given(
    run, tmp_path, monkeypatch, arguments, places
):
    monkeypatch.chdir(tmp_path)  # the command itself runs in the course's folder
    options = vars(run.parser().parse_args(arguments.split()))
    assert {name: options[name] for name in places} == {
        name: str(tmp_path / place) for name, place in places.items()
    }


WRONG = ["", "tset", "lab --port x", "lab --port 65536", "lab 04", "grade in", "grade -o out"]
WRONG += ["bench --rounds 0", "grade in -o out --fail-under 101", "grade in -o out --jobs 0"]
WRONG += ["grade in -o out --plain --isolate", "grade in -o out --fail-under x"]
WRONG += ["grade in -o out --weights w", "grade in -o out --lessons 04,"]
WRONG += ["grade in -o out --jobs two", "build --jitter 7", "check --nbgrader x"]
WRONG += ["truth --torch newest", "truth --torch 2/../3.1"]


@pytest.mark.parametrize("arguments", WRONG)
def test_a_wrong_command_ends_before_anything_is_installed(run, arguments, monkeypatch, capsys):
    monkeypatch.setattr(run, "ensure_environment", raising(AssertionError))
    with pytest.raises(SystemExit) as end:
        run.main(arguments.split())
    assert end.value.code == 2
    assert "usage: python3 run.py" in capsys.readouterr().err


def test_another_torch_has_an_environment_of_its_own_which_git_ignores(run, tmp_path, monkeypatch):
    pretend_finished(run)
    calls: list = []
    monkeypatch.setattr(run, "ensure_environment", lambda: calls.append((run.VENV, run.STAMP)))
    monkeypatch.setattr(run, "hand_over", lambda call: calls.append(str(run.venv_python())))
    run.main(["truth"])
    run.main(["truth", "--torch", "2.14.1"])
    own = tmp_path / ".venv-torch-2.14.1"
    assert calls[0][0] == tmp_path / ".venv"
    assert calls[2] == (own, own / "minigrad-stamp.txt") and calls[3].startswith(str(own))
    ignored = ["git", "-C", str(SOURCE.parent), "check-ignore", "-q", own.name + "/"]
    assert subprocess.run(ignored).returncode == 0


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left"), 2, "The disk is full: make room"),
        (PermissionError(errno.EACCES, "Permission denied", "my"), 2, "my: Permission denied."),
        (KeyboardInterrupt(), 130, "Stopped. Nothing is lost"),
    ],
)
def test_trouble_is_one_sentence_and_an_exit_code(run, error, code, sentence, monkeypatch, capsys):
    monkeypatch.setattr(run, "ensure_environment", raising(error))
    assert run.main(["test"]) == code
    said = capsys.readouterr().err.strip()
    assert said.startswith(sentence) and "\n" not in said


class Started(Exception):
    """What a process that became another one would have been given."""


def test_the_course_runs_in_its_own_environment(run, monkeypatch):
    monkeypatch.setattr(run.os, "execve", lambda *call: raising(Started(*call))())
    monkeypatch.setattr(run.os, "chdir", lambda path: None)
    monkeypatch.setattr(run.os, "name", "posix")
    with pytest.raises(Started) as started:
        run.hand_over(["-m", "course.cli", "lab"])
    path, command, environment = started.value.args
    assert path == command[0] == str(run.venv_python())
    assert environment["PATH"].startswith(str(run.venv_python().parent))


# --- on a GPU: no environment is made -----------------------------------------------------


@pytest.fixture
def handed(run, monkeypatch):
    """[(call, python)] of what run.py would become; no environment may be made for it."""
    given = []
    monkeypatch.setattr(run, "ensure_environment", raising(AssertionError))
    monkeypatch.setattr(run, "hand_over", lambda call, python=None: given.append((call, python)))
    (run.ROOT / "benchmarks" / "gpu").mkdir(parents=True)
    return given


def test_without_an_environment_the_gpu_run_has_this_python(run, handed):
    run.main(["gpu"])
    assert handed == [(["-m", "benchmarks.gpu"], sys.executable)]


@pytest.mark.parametrize("has_cupy", [True, False])
def test_a_finished_environment_runs_it_if_it_has_cupy(run, handed, has_cupy, monkeypatch):
    pretend_finished(run)
    monkeypatch.setattr(run.subprocess, "call", lambda command: 0 if has_cupy else 1)
    run.main(["gpu"])
    run.main(["gpu", "--simulate"])
    assert [python for _, python in handed] == [None if has_cupy else sys.executable, None]


def test_an_unfinished_environment_does_not_run_it(run, handed):
    pretend_finished(run)
    run.STAMP.unlink()
    run.main(["gpu", "--simulate"])
    assert handed[0][1] == sys.executable


def test_a_class_has_no_gpu_run(run, capsys):
    assert run.main(["gpu"]) == 2
    assert "no part of a class's copy" in capsys.readouterr().err


# --- the environment -----------------------------------------------------------------------


def test_nothing_is_installed_twice(run, monkeypatch):
    pretend_finished(run)
    monkeypatch.setattr(run, "install_with_uv", raising(AssertionError))
    monkeypatch.setattr(run, "install_with_pip", raising(AssertionError))
    run.ensure_environment()


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_a_new_lock_or_project_is_installed(run, tmp_path, changed, monkeypatch):
    pretend_finished(run)
    installed = []
    monkeypatch.setattr(run, "install_with_uv", lambda: installed.append("uv") or True)
    (tmp_path / changed).write_text("changed\n")
    run.ensure_environment()
    run.ensure_environment()
    assert installed == ["uv"]
    assert run.venv_python().exists(), "the environment was repaired, not thrown away"


def test_the_stamp_knows_the_python_and_the_place(run, tmp_path, monkeypatch):
    before = run.stamp()
    assert before.startswith("{}.{}.{} ".format(*sys.version_info[:3]))
    monkeypatch.setattr(run, "ROOT", tmp_path / "moved")
    (tmp_path / "moved").mkdir()
    shutil.copy(tmp_path / "pyproject.toml", tmp_path / "moved")
    assert run.stamp() != before


def test_an_environment_of_another_python_is_thrown_away(run, monkeypatch):
    pretend_finished(run)
    monkeypatch.setattr(run, "venv_version", lambda: (3, 11, 0))
    run.discard_if_unusable()
    assert not run.VENV.exists()


def test_an_environment_without_its_python_is_thrown_away(run):
    pretend_finished(run)
    run.venv_python().unlink()
    run.venv_python().symlink_to("/nowhere/python")
    run.discard_if_unusable()
    assert not run.VENV.exists()


@pytest.mark.parametrize("error", ["Stop", "KeyboardInterrupt"])
def test_an_unfinished_environment_is_finished_the_next_time(run, error, monkeypatch):
    pretend_finished(run)
    run.LOCK.write_text("numpy==2.4.5\n")
    failure = run.Stop("no network") if error == "Stop" else KeyboardInterrupt()
    monkeypatch.setattr(run, "install_with_uv", raising(failure))
    run.main(["test"])
    run.LOCK.write_text("numpy==2.4.6\n")  # even when everything is as it was before
    monkeypatch.setattr(run, "install_with_uv", lambda: True)
    assert not run.STAMP.exists()
    run.ensure_environment()
    assert run.read(run.STAMP) == run.stamp()


def test_a_clone_without_its_lock_gets_one_sentence(run):
    run.LOCK.unlink()
    with pytest.raises(run.Stop, match="requirements.lock is missing: clone the course again"):
        run.ensure_environment()


# --- uv, then pip --------------------------------------------------------------------------

needs_sh = pytest.mark.skipif(os.name != "posix", reason="the stand-in for uv is a shell script")


@needs_sh
def test_uv_makes_an_environment_with_pip_in_it(run, tmp_path, fake_uv):
    fake_uv(f'#!/bin/sh\necho "$UV_PYTHON_DOWNLOADS $@" >> {tmp_path}/calls\n')
    assert run.install_with_uv()
    venv, install = (tmp_path / "calls").read_text().splitlines()
    assert venv == f"never venv --seed --python {run.base_python()} {run.VENV}"
    assert install.startswith(f"never pip install --python {run.venv_python()} ")
    assert install.endswith(f"-r {run.LOCK} -e {run.ROOT}")


@needs_sh
@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\nexit 1\n",
        "#!/bin/sh\nexec sleep 60\n",
        "#!/nowhere/interpreter\n",
        '#!/bin/sh\n[ "$1" = venv ] && mkdir -p .venv/half\n[ "$1" = venv ]\n',
    ],
    ids=["fails", "hangs", "does not start", "fails half-way"],
)
def test_pip_follows_when_uv_fails_in_any_way(run, text, tmp_path, fake_uv, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "UV_SECONDS", 0.5)
    fake_uv(text)
    with_pip = []
    monkeypatch.setattr(run, "install_with_pip", lambda: with_pip.append(run.VENV.exists()))
    monkeypatch.setattr(Path, "write_text", lambda *args: None)  # the stamp: no .venv is made
    run.ensure_environment()
    assert with_pip == [False], "pip starts from nothing"
    assert "uv could not do it: going on with pip." in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_missing_module_is_named_with_its_remedy(run, missing, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        run.importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    with pytest.raises(run.Stop, match=f"no {missing} module: .* sudo apt install python3-venv"):
        run.install_with_pip()


def test_pip_is_given_the_lock_and_this_folder(run, monkeypatch):
    commands = []
    monkeypatch.setattr(run, "logged", commands.append)
    run.install_with_pip()
    assert commands[0] == [run.base_python(), "-m", "venv", str(run.VENV)]
    assert commands[1][-4:] == ["-r", str(run.LOCK), "-e", str(run.ROOT)]


def test_a_failing_installer_shows_its_last_words(run, capsys):
    with pytest.raises(run.Stop, match="could not be installed .* run the same command again"):
        run.logged([sys.executable, "-c", "print('no such host'); raise SystemExit(1)"])
    assert "no such host" in capsys.readouterr().err


def test_a_failing_installer_on_a_full_disk_says_so(run, monkeypatch):
    monkeypatch.setattr(run, "NEEDED_MB", 10**12)
    with pytest.raises(run.Stop, match="The disk is nearly full: the set-up needs about"):
        run.logged([sys.executable, "-c", "raise SystemExit(1)"])


def test_the_environment_of_another_checkout_is_left_alone(run, tmp_path):
    pretend_finished(run)
    theirs = tmp_path / "theirs"
    run.VENV.rename(theirs)
    run.VENV.symlink_to(theirs)
    run.ensure_environment()  # the same lock, the same folder: nothing is to be done
    run.STAMP.write_text("of another checkout")
    with pytest.raises(run.Stop, match="is a link to .*theirs.*: remove the link"):
        run.ensure_environment()
    assert run.STAMP.read_text() == "of another checkout"
