"""`run.py lab --torch` brings PyTorch or says why not; the lab starts, and nothing half is left."""

import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import pytest

from course import beside, cli
from tests.twin.golden import VERSION

ROOT = Path(__file__).resolve().parents[2]
WANTED = f"torch=={VERSION}"
# In the place of Python: notes what pip was told, says what it says, leaves what it leaves.
PIP = """#!{python}
import pathlib, sys
site = pathlib.Path({site!r})
told = site.parent / "told"
told.write_text((told.read_text() if told.exists() else "") + " ".join(sys.argv[1:]) + "\\n")
def leave(*names):
    for name in names:
        (site / name).parent.mkdir(exist_ok=True, parents=True)
        (site / name).write_text("")
PACKAGE = "torch/__init__.py", "torchgen/__init__.py", "functorch/__init__.py"
INFO = "torch-{version}+cpu.dist-info/"
"""
WHOLE = 'leave(*PACKAGE, INFO + "METADATA", INFO + "INSTALLER")'
HALF = 'leave(*PACKAGE[:2], INFO + "METADATA")'
FIRST_FAILS = f'sys.exit("no such host") if "--index-url" in sys.argv else {WHOLE}'


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """pip(text): from here on that is what an installer does."""
    if os.name != "posix":
        pytest.skip("the stand-in for Python is a script with a first line that names its program")
    monkeypatch.setattr(beside, "SITE", tmp_path / "site")
    monkeypatch.setattr(beside, "LOG", tmp_path / "install.log")
    monkeypatch.setattr(beside, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr(beside, "PYTHON", str(tmp_path / "python"))
    beside.SITE.mkdir()

    def does(text):
        start = PIP.format(python=sys.executable, site=str(beside.SITE), version=VERSION)
        Path(beside.PYTHON).write_text(start + text)
        Path(beside.PYTHON).chmod(0o755)

    return does


def told():
    path = beside.SITE.parent / "told"
    return path.read_text().splitlines() if path.exists() else []


def left():
    return sorted(path.name for path in beside.SITE.iterdir())


def test_the_version_is_the_one_that_the_project_and_the_recordings_name():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert beside.requirement() == WANTED in extras["optional-dependencies"]["bench"]
    assert VERSION not in (ROOT / ".ci/run").read_text() + (ROOT / "course/beside.py").read_text()


def test_it_comes_from_pytorch_s_index_once_and_what_is_pinned_stays(pip, capsys):
    pip(WHOLE)
    beside.bring()
    beside.bring()
    (call,) = told()
    assert call.startswith("-m pip ") and call.endswith(f"--index-url {beside.INDEX} {WANTED}")
    assert f"--constraint {ROOT / 'requirements.lock'}" in call
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"Bringing {WANTED} ") and last == "PyTorch is there."


def test_the_configured_index_is_asked_next(pip, capsys):
    pip(FIRST_FAILS)
    beside.bring()
    assert ["--index-url" in call for call in told()] == [True, False]
    assert capsys.readouterr().out.endswith("PyTorch is there.\n")
    assert "no such host" in beside.LOG.read_text()


def there(version):
    """As an installer leaves it."""
    (beside.SITE / "torch").mkdir()
    (beside.SITE / f"torch-{version}.dist-info").mkdir()
    (beside.SITE / f"torch-{version}.dist-info/INSTALLER").write_text("pip")


@pytest.mark.parametrize(
    ("version", "calls"),
    [
        (VERSION, 0),
        (f"{VERSION}+cpu", 0),
        (f"{VERSION}+cu130", 0),
        ("2.1.0", 1),
        (f"{VERSION}1", 1),
    ],
)
def test_any_build_of_the_version_is_enough_and_no_other_version_is(pip, version, calls, capsys):
    pip(WHOLE)
    there(version)
    beside.bring()
    assert len(told()) == calls == len(capsys.readouterr().out.splitlines()) / 2


NO_BUILD = "ERROR: No matching distribution found for torch"
UNREACHED = "WARNING: Retrying (Retry(total=1)) after connection broken\n" + NO_BUILD


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (UNREACHED, "as the package index cannot be reached"),
        (NO_BUILD, "as there is no build of it for Python {}.{} on "),
        ("OSError: [Errno 28] No space left on device", "as it needs about 1,200 MB of disk"),
        ("Killed", "as its installer failed (its words are in "),
    ],
)
def test_what_is_missing_is_one_sentence(pip, said, why, capsys):
    pip(f"sys.exit({said!r})")
    beside.bring()
    last = capsys.readouterr().out.splitlines()[1:]
    assert len(last) == 1 and f"{WANTED} cannot be had here, " in last[0]
    assert why.format(*sys.version_info[:2]) in last[0]
    assert last[0].endswith(": the lab starts without it.")
    assert left() == [] and not beside.UNFINISHED.exists()


def test_without_a_pip_at_all_the_lab_starts_too(pip, capsys):
    beside.bring()
    assert f"{WANTED} cannot be had here, as its installer failed" in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 1])
def test_half_of_it_is_taken_away(pip, code):
    pip(f"{HALF}\nleave('numpy/__init__.py')\nsys.exit({code})")
    beside.bring()
    assert left() == ["numpy"]


def test_ctrl_c_ends_the_installer_leaves_nothing_half_and_the_next_time_goes_on(pip):
    pip(f"import os, time\n{HALF}\nleave(str(os.getpid()))\ntime.sleep(600)")
    threading.Thread(target=interrupt_once_it_works).start()
    with pytest.raises(KeyboardInterrupt):
        beside.bring()
    (child,) = left()
    with pytest.raises(ProcessLookupError):
        os.kill(int(child), 0)
    pip(WHOLE)
    beside.bring()
    assert beside.whole(WANTED) and not beside.UNFINISHED.exists()


def interrupt_once_it_works():
    while not any(name.isdigit() for name in left()):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("began", [True, False])
def test_a_later_lab_takes_away_what_was_begun_here_and_nothing_else(pip, began):
    pip(HALF)
    subprocess.run([beside.PYTHON], check=True)
    before = left()
    if began:
        beside.UNFINISHED.touch()
    beside.discard_half()
    assert left() == ([] if began else before) and before


def test_a_version_that_stood_before_survives_a_failure(pip):
    there("2.1.0")
    pip(f"sys.exit({NO_BUILD!r})")
    beside.bring()
    assert left() == ["torch", "torch-2.1.0.dist-info"]


# --- the command ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("torch", "done"), [(True, ["discard_half", "bring"]), (False, ["discard_half"])]
)
def test_the_lab_asks_for_it_before_it_starts(monkeypatch, torch, done):
    asked = []
    for name in "require_lessons", "require_free":
        monkeypatch.setattr(cli, name, lambda *given: None)
    for name in "bring", "discard_half":
        monkeypatch.setattr(beside, name, lambda name=name: asked.append(name))
    monkeypatch.setattr(cli.copies, "make", raising(cli.Stop("the lab would start now")))
    assert cli.main("lab", torch=torch) == 2 and asked == done


def raising(error):
    def fail(*given):
        raise error

    return fail
