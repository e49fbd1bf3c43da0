"""`trace.save(path)`, as the page for teachers writes it, wherever the trace was made."""

import subprocess
import sys

import pytest

RECORDED = """import minigrad as mg
import whoholds
with whoholds.record() as trace:
    mg.ones(3, requires_grad=True).exp().sum().backward()
"""
STEPPED = """import minigrad as mg
from whoholds.step import step
trace = step("mg.ones(3, requires_grad=True).exp().sum().backward()", namespace={"mg": mg})
"""


@pytest.mark.parametrize("made", [RECORDED, STEPPED], ids=["recorded", "stepped"])
def test_a_trace_writes_a_page(made, tmp_path):
    """In a fresh process: another test may have imported what brings the method."""
    code = made + "print(trace.save('answer.html').name)"
    root = __file__.rpartition("tests")[0]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": root, "PATH": ""},
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "answer.html\n"), done.stderr
    page = (tmp_path / "answer.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") and "ExpBackward0" in page
