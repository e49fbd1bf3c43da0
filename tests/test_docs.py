"""What the page for teachers says of lessons and of their minutes is so."""

import re
import textwrap
from pathlib import Path

from course.build import budget
from course.build.outline import to_five
from tests.loaded import COURSE

ROOT = Path(__file__).parents[1]
TEACHING = (ROOT / "docs" / "teaching.md").read_text("utf-8")


def minutes(lesson):
    """The lesson's row in the table of teaching.md."""
    counted = budget.size(lesson)
    alone, tried, work = map(to_five, (counted.minutes, counted.sitting, counted.working))
    done = f"{counted.exercises} | {work}" if counted.exercises else "- | -"
    return f"| {lesson.number} {lesson.title} | {alone} | {tried} | {done} |"


def plan(title):
    """The rows of the plan below a heading of teaching.md, cell by cell."""
    section = TEACHING.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def sizes():
    return {one.number: budget.size(one) for one in COURSE if not one.is_page}


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


def test_a_lesson_after_the_exam_takes_what_the_page_says():
    counted, weeks = sizes(), plan("After the exam")
    for _, home, _, handed in weeks:
        assert handed == f"exercises {home}"
        assert 95 <= counted[home].sitting + counted[home].working <= 110, home
    assert [home for _, home, *_ in weeks] == ["17", "18", "19"]


def test_the_snippets_for_teachers_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (snippet,) = re.findall(r"```python\n([\s\S]*?)```", TEACHING)
    exec(textwrap.dedent(snippet), {})
    assert (tmp_path / "answer.html").stat().st_size > 0


def test_the_minutes_are_those_that_the_build_counts():
    lessons = [lesson for lesson in COURSE if not lesson.is_page]
    assert re.findall(r"^\| \d\d .* \|$", TEACHING, re.MULTILINE) == list(map(minutes, lessons))
