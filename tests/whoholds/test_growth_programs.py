"""What `python -m whoholds` says grows in a whole program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

MAIN = """import torch

def main():
    net = torch.nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for _ in range({turns}):
        loss = net(torch.ones(4, 8)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss{form})

main()
"""


@pytest.mark.parametrize("ending", ["sys.exit(main())", "main(); sys.exit(0)", "main(); exit()"])
def test_a_program_that_ends_well_has_no_error(tmp_path, ending):
    text = MAIN.format(turns=6, form="").replace("import torch", "import sys, torch", 1)
    path = tmp_path / "train.py"
    path.write_text(text.replace("\nmain()", f"\n{ending}"))
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-m", "whoholds", path], env=env, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0 and "error" not in done.stderr
    assert done.stderr.splitlines()[2].startswith("grows: +4 B a turn, held by main.losses")


@pytest.mark.parametrize("turns", [5, 8, 11])
def test_what_a_function_lets_go_of_at_its_end_has_grown(tmp_path, turns):
    said = {}
    for form in "", ".item()":
        path = tmp_path / "train.py"
        path.write_text(MAIN.format(turns=turns, form=form))
        env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run([sys.executable, "-m", "whoholds", path], env=env, text=True,
                              capture_output=True)  # fmt: skip
        assert done.returncode == 0
        said[form] = done.stderr.splitlines()[2]
    row = "+4 B a turn, held by main.losses, made in train.py:8, let go of at the end"
    assert said[""] == f"grows: {row}" and said[".item()"].startswith("peak ")
