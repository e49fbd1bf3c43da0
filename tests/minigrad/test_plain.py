"""MINIGRAD_PLAIN=1 leaves `apply` of core/op.py alone: nothing that was generated runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SEEN = """
import sys
from tests.minigrad.rules import RULES, uses
import minigrad as mg
seen = {}
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith("<minigrad generated"):
        seen[code.co_name] = seen.get(code.co_name, 0) + 1
sys.setprofile(note)
for name in RULES:
    for function, leaves in uses(name):
        function(*leaves).sum().backward()
sys.setprofile(None)
print(sorted(seen))
"""


@pytest.mark.parametrize(("plain", "seen"), [("", "['apply', 'call']"), ("1", "[]")])
def test_nothing_generated_runs_where_the_environment_says_so(plain, seen):
    done = subprocess.run(
        [sys.executable, "-c", SEEN],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"MINIGRAD_PLAIN": plain},
        capture_output=True,
        text=True,
    )
    assert (done.stdout.strip(), done.stderr) == (seen, "")
