"""The README is read before anything is run, so what it shows is run here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE).group(1)


def test_the_example_prints_what_it_says():
    command = [sys.executable, "-c", block("python")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == block("text"), done.stderr


def test_the_picture_tells_what_the_view_tells_now():
    code = "import second_time as s; print(s.text(s.trace()))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "docs")])},
    )
    assert "![A second backward" in README
    with Image.open(ROOT / "docs/second_time.png") as picture:
        told = picture.text["Description"]
    assert told == run.stdout.rstrip("\n"), run.stderr + "python docs/second_time.py draws it anew"


def title(path):
    first = json.loads(path.read_text("utf-8"))["cells"][0]["source"]
    return " ".join("".join(first).splitlines()[0].removeprefix("#").split())


def test_the_table_holds_every_lesson():
    paths = sorted(ROOT.glob("notebooks/[0-9]*.ipynb"))
    names = [(title(path), path.relative_to(ROOT).as_posix()) for path in paths]
    assert re.findall(r"^\| \[(\d\d .*?)\]\((\S*)\) \|", README, re.MULTILINE) == names


def test_it_leads_to_every_page_that_is_no_lesson():
    pages = {path.name for path in ROOT.glob("notebooks/[!0-9]*.ipynb")}
    assert pages == set(re.findall(r"\]\(notebooks/([a-z]\w*\.ipynb)\)", README)) != set()


def test_the_tiers_it_tells_of_are_those_of_the_command():
    command = [sys.executable, ROOT / "run.py", "test", "--help"]
    usage = subprocess.run(command, capture_output=True, text=True).stdout
    told = re.findall(r"^\| `python3 run\.py test ?(.*?)` \|", README, re.MULTILINE)
    assert told == ["", *re.findall(r"^  (--\w+)", usage, re.MULTILINE)]
