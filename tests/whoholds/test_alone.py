"""whoholds by itself: with PyTorch and nothing else, and installed from its own folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = "minigrad", "course", "numpy", "matplotlib", "anywidget", "ipywidgets", "IPython"
PROGRAM = f"""
import sys, warnings
sys.modules |= dict.fromkeys({BLOCKED})  # not to be imported
import whoholds
assert "torch" not in sys.modules
warnings.simplefilter("ignore")  # PyTorch says that it has no numpy
import torch
w = torch.ones(64, requires_grad=True)
kept = []
with whoholds.record() as trace:
    kept.append((w * w).exp())
    kept[0].sum().backward()
print(trace)
trace.save("answer.html")
trace.save("answer.json")
print(whoholds.who(kept[0]))
print(whoholds.grows(lambda: kept.append(w * 2)))
"""


def ran(folder, path):
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"PYTHONPATH": str(path)}
    (folder / "program.py").write_text(PROGRAM, "utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(folder, told):
    assert "ExpBackward0 saves result (256 B)" in told and "peak" in told
    assert "\nkept[0]\n" in told and "+256 B a turn, held by kept, made in program.py:" in told
    assert "ExpBackward0" in (folder / "answer.html").read_text("utf-8")


def test_it_needs_pytorch_and_nothing_else(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    package = tmp_path / "only"
    package.mkdir()
    (package / "whoholds").symlink_to(ROOT / "whoholds")
    check(tmp_path, ran(tmp_path, package))


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("CI") != "true", reason="installs packages: set CI=true")
def test_its_own_distribution_holds_all_of_it(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path)]
    subprocess.run([*command, str(ROOT / "whoholds")], check=True)
    (wheel,) = tmp_path.glob("whoholds-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path / "site")
    names = {path.name for path in (tmp_path / "site").iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"whoholds"}
    check(tmp_path, ran(tmp_path, tmp_path / "site"))
