"""What the pages for teachers say of lessons, commands and files is so."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from course.build import budget
from course.build.make import load
from course.build.outline import to_five
from course.build.project import Project

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEACHING = (ROOT / "docs" / "teaching.md").read_text("utf-8")


def minutes(lesson):
    """The lesson's row in the table of teaching.md."""
    counted = budget.size(lesson)
    alone, tried, work = map(to_five, (counted.minutes, counted.sitting, counted.working))
    done = f"{counted.exercises} | {work}" if counted.exercises else "- | -"
    return f"| {lesson.number} {lesson.title} | {alone} | {tried} | {done} |"


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


def plan(title):
    """The rows of the plan below a heading of teaching.md, cell by cell."""
    section = TEACHING.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def sizes():
    return {one.number: budget.size(one) for one in load(Project()) if not one.is_page}


def clock(text):
    hours, rest = text.split(":")
    return 60 * int(hours) + int(rest)


def test_each_hour_of_the_day_is_as_long_as_what_is_done_in_it():
    day, counted = plan("One day"), sizes()
    for (start, _, done), (end, *_) in zip(day, day[1:], strict=False):
        read, _, worked = done.partition("of ")
        numbers = re.findall(r"\d\d", worked or read)
        if "section" not in read:  # the inventory alone, of the exam
            needed = [counted[n].working if worked else counted[n].minutes for n in numbers]
            assert sum(needed) <= clock(end) - clock(start), (start, done)
    assert sum(bool(re.search(r"\d\d", row[2])) for row in day) == 8


def test_a_week_at_home_takes_what_the_page_says():
    counted = sizes()
    for week, home, _, handed in plan("Six weeks"):
        exercises = re.sub(r"(\d\d) to (\d\d)", "11 12 13", handed)
        whole = sum(counted[n].sitting for n in re.findall(r"\d\d", home))
        whole += sum(counted[n].working for n in re.findall(r"\d\d", exercises))
        assert 2.5 <= whole / 60 <= 5.5, (week, whole)


def test_the_snippets_for_teachers_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (snippet,) = re.findall(r"```python\n([\s\S]*?)```", TEACHING)
    exec(textwrap.dedent(snippet), {})
    assert (tmp_path / "answer.html").stat().st_size > 0


def test_the_minutes_are_those_that_the_build_counts():
    lessons = [lesson for lesson in load(Project()) if not lesson.is_page]
    assert re.findall(r"^\| \d\d .* \|$", TEACHING, re.MULTILINE) == list(map(minutes, lessons))
