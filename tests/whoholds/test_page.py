"""docs/whoholds.md: its programs run, and print what the page says they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/whoholds.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SAID = re.compile(r"^print\((?!trace\)).*\)  # (.*)$", re.MULTILINE)


def test_the_page_says_what_its_programs_print(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    program = "\n".join(BLOCKS)
    (tmp_path / "train.py").write_text(program, "utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = SAID.findall(program)
    assert len(said) == 3 and done.stdout.splitlines()[:3] == said
    assert "AccumulateGrad" in (tmp_path / "answer.html").read_text("utf-8")
    assert (tmp_path / "answer.json").stat().st_size > 1000
