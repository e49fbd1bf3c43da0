"""Five planted leaks: the report of a run names the holder and a line, without the source."""

import html
import json
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
    told = recorded(folder).stderr
    rows = [line for line in told.splitlines() if line.startswith("grows: +")]
    assert rows and all(f"held by {wanted(folder)}" in row.lower() for row in rows), rows
    assert re.search(r"made in (main|model)\.py:\d+$", rows[0])
    after = told[told.index("\nmain.py: PyTorch ") :].splitlines()[2:]
    assert after[: len(rows)] == rows, "it is the first that a reader sees"


@pytest.mark.parametrize("folder", LEAKS, ids=lambda path: path.name)
def test_the_page_begins_with_it_and_opens_where_it_is_made(folder, tmp_path):
    recorded(folder, "--steps", "4", "--save", str(tmp_path / "a.html"))
    page = (tmp_path / "a.html").read_text("utf-8")
    head = page[page.index("<header") : page.index("<details>")]
    rows = re.findall(r"<p>grows: (\+.*?)</p>", html.unescape(head))
    assert "<h1>main.py</h1>" in head and ">PyTorch " in head
    assert rows and all(f"held by {wanted(folder)}" in row.lower() for row in rows)
    trace = json.loads(re.search(r'id="trace">(.*?)</script>', page, re.DOTALL)[1])["traces"][0]
    said, event = trace["words"][trace["opens"]], trace["events"][trace["opens"] - 1]
    assert f"this grows: {rows[0]}. " in said
    file, line, _ = trace["places"][event["at"]] if "at" in event else ("main.py", event["line"], 0)
    assert event["kind"] == "tensor" or rows[0].endswith(f"made in {Path(file).name}:{line}")


def recorded(folder, *options):
    env = os.environ | {"PYTHONPATH": str(HERE.parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "whoholds", *options, "main.py"],
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def wanted(folder) -> str:
    """Who holds it, without which one of many: `net.trace` of `net.trace[i]`."""
    path = re.search(r"Path: `([^`]*)`", (folder / "CAUSE.md").read_text("utf-8"))[1]
    return re.split(r"\[|\.state", path)[0].lower()
