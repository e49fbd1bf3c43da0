"""Programs as people post them, recorded: nothing about them changes, and nothing of them is lost.

They were collected before the recorder was built; tests/whoholds/corpus/README.md tells how.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted((HERE / "corpus/programs").glob("*.py"))


@pytest.fixture(scope="module")
def runs():
    """{program: what differs between a plain and a recorded run, and what its trace says}."""
    command = [sys.executable, str(HERE / "fork.py"), *map(str, PROGRAMS)]
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=env, cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_recorded_program_gives_the_same_and_is_followed_to_its_end(runs, path):
    run = runs[str(path)]
    assert run["differs"] == {} and run["lost"] == [] and run["events"] > 0


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_its_bytes_are_told(runs, path):
    """Of those that PyTorch's profiler sees outlive the op that allocated them, by size."""
    run = runs[str(path)]
    assert run["missed"] <= 0.05 * run["bytes"]


def test_the_command_line_leaves_a_program_as_it_is(tmp_path):
    path = HERE / "corpus/programs/040_gan_step_before_g_backward.py"
    env = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    plain, recorded = (
        subprocess.run([sys.executable, *how, str(path)], env=env, cwd=tmp_path,
                       capture_output=True, text=True)
        for how in ([], ["-m", "whoholds", "--save", "answer.html"])
    )  # fmt: skip
    assert (recorded.returncode, recorded.stdout) == (plain.returncode, plain.stdout)
    assert recorded.stderr == "written: answer.html\n" + plain.stderr
    assert "modified by an inplace operation" in (tmp_path / "answer.html").read_text("utf-8")


def test_recording_ends_with_the_last_step_that_was_asked_for(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import sys\nimport torch\nw = torch.ones(4, requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=float(sys.argv[1]))\nfor turn in range(5):\n"
        "    opt.zero_grad()\n    (w * w).sum().backward()\n    opt.step()\nprint(w.sum().item())\n"
    )
    command = [sys.executable, "-m", "whoholds", "--steps=2", "--save=a.json", script.name, "0.25"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0.125\n"), done.stderr
    events = json.loads((tmp_path / "a.json").read_text("utf-8"))["events"]
    assert sum(event["kind"] == "backward" for event in events) == 2
