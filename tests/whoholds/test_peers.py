"""docs/peers.md: its rows of whoholds are what whoholds prints of the three programs today."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "docs/peers"
SECTIONS = (ROOT / "docs/peers.md").read_text("utf-8").split("\n## ")
LEAKS = sorted(path.stem for path in PEERS.glob("*.py") if path.stem != "run")


def section(leak):
    (found,) = [text for text in SECTIONS if f"(peers/{leak}.py)" in text]
    return found


def rows(leak):
    """What each tool told, by the name of the tool."""
    cells = [line.split(" | ") for line in section(leak).splitlines() if line.startswith("| ")]
    return {row[0].removeprefix("| "): row[1] for row in cells[1:]}


def prints(leak, python=sys.executable, packages=()):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *packages])}
    command = [python, PEERS / "run.py", "whoholds", leak]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_each_program_has_a_table_and_each_table_the_same_tools():
    assert len(LEAKS) == 3
    assert len({tuple(rows(leak)) for leak in LEAKS}) == 1


@pytest.mark.parametrize("leak", LEAKS)
def test_the_rows_of_whoholds_are_what_it_prints(leak):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    said = re.findall(r"`([^`]+)`", rows(leak)["whoholds"])
    assert prints(leak) == said
    told = sum(int(line[1:].partition(" B")[0].replace(",", "")) for line in said)
    assert f"{told:,} B a" in section(leak).partition("\n|")[0].replace("\n", " ")


def test_the_line_is_the_programs_where_torch_is_in_another_environment():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    packages = [os.path.dirname(os.path.dirname(torch.__file__))]
    python = getattr(sys, "_base_executable", sys.executable)
    assert all("made in kept_list.py" in line for line in prints("kept_list", python, packages))
