"""What the pages for teachers say of lessons, commands and files is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from course.build import budget
from course.build.make import load
from course.build.project import Project

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEACHING = (ROOT / "docs" / "teaching.md").read_text("utf-8")


def minutes(lesson):
    """The lesson's row in the table of teaching.md."""
    counted = budget.size(lesson)
    work = f"{counted.exercises} | {counted.working}" if counted.exercises else "- | -"
    return f"| {lesson.number} {lesson.title} | {counted.minutes} | {counted.sitting} | {work} |"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_links_exist(page):
    text = page.read_text("utf-8")
    usage = subprocess.run(
        [sys.executable, ROOT / "run.py", "--help"], capture_output=True, text=True
    ).stdout
    for command in re.findall(r"python3 run\.py (\w+)", text):
        assert re.search(rf"^    {command}  ", usage, re.MULTILINE), command
    for link in re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r"`(course/\S+\.py)`", text):
        assert (page.parent / link).exists() or (ROOT / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_option_it_names_is_one(page):
    for command, options in re.findall(r"run\.py (\w+)([^`\n#]*)", page.read_text("utf-8")):
        usage = subprocess.run(
            [sys.executable, ROOT / "run.py", command, "--help"], capture_output=True, text=True
        ).stdout
        for option in re.findall(r"-{1,2}[a-z-]+", options):
            assert option in usage, (command, option)


def test_the_minutes_are_those_that_the_build_counts():
    lessons = [lesson for lesson in load(Project()) if not lesson.is_page]
    assert re.findall(r"^\| \d\d .* \|$", TEACHING, re.MULTILINE) == list(map(minutes, lessons))
