"""The files that describe an installation agree with each other, and say what really installs."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
LOCK = (ROOT / "requirements.lock").read_text().splitlines()
LOCKED = {line.partition("==")[0]: Requirement(line) for line in LOCK}
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())


def conda_python():
    return CONDA["dependencies"][0].removeprefix("python=")


# --- the lock ------------------------------------------------------------------------------


def test_the_lock_is_exact_and_names_no_host():
    for line in LOCK:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*( ; [^#@]+)?", line), line
    assert "://" not in "".join(LOCK)


def asked_for(*extras):
    """What the extras ask for, those that they are made of included; not the project itself."""
    lines = [line for extra in extras for line in EXTRAS[extra]]
    own = [Requirement(line) for line in lines if Requirement(line).name == PROJECT["name"]]
    rest = [line for line in lines if Requirement(line).name != PROJECT["name"]]
    return rest + [line for one in own for line in asked_for(*one.extras)]


@pytest.mark.parametrize("text", PROJECT["dependencies"] + asked_for("course", "test"))
def test_the_lock_holds_what_the_project_asks_for(text):
    asked = Requirement(text)
    (pin,) = LOCKED[asked.name].specifier
    assert asked.specifier.contains(pin.version)


def test_the_site_has_a_lock_of_its_own_with_the_same_versions():
    lines = (ROOT / "site.lock").read_text().splitlines()
    pins = {line.partition("==")[0]: Requirement(line) for line in lines}
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*( ; [^#@]+)?", line) for line in lines)
    for asked in map(Requirement, asked_for("site")):
        (pin,) = pins[asked.name].specifier
        assert asked.specifier.contains(pin.version)
    shared = pins.keys() & LOCKED.keys()
    assert {n: pins[n].specifier for n in shared} == {n: LOCKED[n].specifier for n in shared}


def test_the_engine_needs_numpy_alone_and_a_numpy_cupy_can_use():
    (numpy,) = map(Requirement, PROJECT["dependencies"])
    assert numpy.name == "numpy" and not numpy.specifier.contains("2.6.0")


def test_a_kernel_needs_no_jupyterlab():
    """Somebody else's is there; and what the lab brings is that and one package more."""
    kernel = set(asked_for("kernel"))
    more = set(asked_for("course")) - kernel
    assert kernel < set(asked_for("course"))
    assert {Requirement(line).name for line in more} == {"jupyterlab"}
    page = (ROOT / "docs/anywhere.md").read_text("utf-8")
    assert f"({', '.join(Requirement(line).name for line in asked_for('kernel'))})" in page


def test_the_gpu_extras_do_nothing_on_a_mac():
    for extra in "gpu", "gpu12":
        (cupy,) = map(Requirement, EXTRAS[extra])
        assert cupy.extras == {"ctk"}
        assert not cupy.marker.evaluate({"sys_platform": "darwin"})
        assert cupy.marker.evaluate({"sys_platform": "linux"})


# --- environment.yml -----------------------------------------------------------------------


def test_conda_supplies_python_and_pip_and_nothing_else():
    python, pip, packages = CONDA["dependencies"]
    assert re.fullmatch(r"python=3\.\d+", python) and pip == "pip"
    assert packages == {"pip": ["-r requirements.lock", "-e ."]}


def test_its_python_is_allowed_and_tested():
    assert SpecifierSet(PROJECT["requires-python"]).contains(Version(conda_python()))
    assert conda_python() in WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"]


ONE_LINER = """
import minigrad as mg
x = mg.tensor([3.0], requires_grad=True)
(x * x).backward()
print(x.grad)
"""


@pytest.mark.slow
def test_environment_yml_does_what_conda_would_do(tmp_path):
    """conda writes the pip lines to a file beside environment.yml and gives it to pip."""
    subprocess.run([interpreter(), "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # A copy, because pip will be told to read a file that must not lie in the project.
    project = shutil.copytree(ROOT, tmp_path / "project", ignore=without_local_files)
    written = project / "condaenv.requirements.txt"
    written.write_text("\n".join(CONDA["dependencies"][-1]["pip"]) + "\n")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile", "-U", "-r", written]
    subprocess.run(pip, check=True, cwd=project)
    done = subprocess.run(
        [python, "-c", ONE_LINER], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "tensor([6.])\n"
    subprocess.run([python, "-m", "pip", "check"], check=True)


def interpreter():
    """The Python environment.yml names, where this machine has it."""
    named = shutil.which(f"python{conda_python()}")
    if named and subprocess.run([named, "-c", ""], capture_output=True).returncode == 0:
        return named
    print(f"no Python {conda_python()} here: done with {sys.version.split()[0]} instead")
    return sys.executable


def without_local_files(folder, names):
    hidden = {".venv", ".git", "my"} if Path(folder) == ROOT else set()
    return [name for name in names if name in hidden or name.endswith("_cache")]


# --- JupyterLab and the public CI ----------------------------------------------------------


def settings(name):
    return json.loads((ROOT / ".jupyter" / name).read_text())


def test_jupyter_opens_the_welcome_lesson():
    for application in "LabApp", "ServerApp":
        url = settings("jupyter_server_config.json")[application]["default_url"]
        assert (ROOT / url.removeprefix("/lab/tree/")).is_file()


def test_no_news_covers_it():
    overrides = settings("labconfig/default_setting_overrides.json")
    news = overrides["@jupyterlab/apputils-extension:notification"]
    # A word, not a truth value: JupyterLab asks as long as it does not read "false" here.
    assert news == {"fetchNews": "false", "checkForUpdates": False}


def test_the_public_ci_may_only_read_and_runs_what_runs_here():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    commands = [s["run"] for job in WORKFLOW["jobs"].values() for s in job["steps"] if "run" in s]
    assert commands and set(commands) <= {".ci/run", "python run.py test"}


def test_the_whole_proof_is_what_the_public_ci_runs_and_it_has_the_time():
    assert (ROOT / ".ci/run").read_text().endswith("run.py test --ci\n")
    (minutes,) = re.findall(r"`python3 run.py test --ci` .* (\d+) \|", README)
    assert 3 * int(minutes) <= WORKFLOW["jobs"]["test"]["timeout-minutes"] <= 90


def test_python_is_a_version_the_project_allows():
    for version in WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"]:
        assert SpecifierSet(PROJECT["requires-python"]).contains(version)
