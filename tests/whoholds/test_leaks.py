"""Five planted leaks: the report of a run names the holder and a line, without the source."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

HERE = Path(__file__).parent
LEAKS = sorted(path for path in (HERE / "corpus/leaks").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", LEAKS, ids=lambda path: path.name)
def test_the_report_names_who_holds_what_grows(folder):
    env = os.environ | {"PYTHONPATH": str(HERE.parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "whoholds", "main.py"],
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    path = re.search(r"Path: `([^`]*)`", (folder / "CAUSE.md").read_text("utf-8"))[1]
    wanted = re.split(r"\[|\.state", path)[0].lower()
    rows = [line for line in done.stderr.splitlines() if line.startswith("grows: +")]
    assert rows and all(f"held by {wanted}" in row.lower() for row in rows), (wanted, rows)
    assert re.search(r"made in (main|model)\.py:\d+$", rows[0])
