"""The questions of the five threads, from `lessons/coverage.toml`, and the doors that answer."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from course.site.door import DoorError
from course.site.door_page import plain

COVERAGE = "lessons/coverage.toml"
PAGE = """# The five threads, question by question

The course grew out of five threads of PyTorch's forum. Here is each question that was asked there,
in our own words, with the page that answers it and the lesson that teaches it.
[The five threads](lessons/threads.ipynb) tells what was answered at the time.

{threads}
"""


@dataclass(frozen=True)
class Question:
    """`lessons` are the numbers of those that teach it."""

    name: str
    thread: str
    text: str
    lessons: list


def questions(root: Path) -> dict:
    """{id: question} of all that a thread asked, thread by thread."""
    rows = tomllib.loads((root / COVERAGE).read_text("utf-8"))["question"]
    found = [
        Question(row["id"], row["thread"], row["text"], row["lessons"].split())
        for row in rows
        if row["kind"] == "question" and row["thread"]
    ]
    return {one.name: one for one in sorted(found, key=lambda one: one.thread)}


def texts(door, known) -> list:
    """The questions that a door answers."""
    for name in door.asked:
        if name not in known:
            raise DoorError(f"doors/{door.name}: {COVERAGE} has no question {name!r}")
    return [known[name].text for name in door.asked]


def page(doors, known, titles, headings) -> str:
    """The list of all questions; `titles` is {name: title} of lessons, `headings` of threads."""
    answers = {name: door for door in doors for name in door.asked}
    parts = []
    for thread in sorted({one.thread for one in known.values()}):
        rows = [_row(one, answers, titles) for one in known.values() if one.thread == thread]
        table = "\n".join(["| asked | answered by | lesson |", "|---|---|---|", *rows])
        parts.append(f"## {headings[thread]}\n\n```{{table}}\n:class: mg-asked\n\n{table}\n```")
    return PAGE.format(threads="\n\n".join(parts))


def _row(one, answers, titles) -> str:
    if one.name not in answers:
        raise DoorError(f"{COVERAGE}: no door answers {one.name!r}; one says `Asked: {one.name}`")
    door = answers[one.name]
    lessons = ", ".join(
        f"[{name[:2]}](lessons/{name}.ipynb)" for name in titles if name[:2] in one.lessons
    )
    return f"| {plain(one.text)} | [{plain(door.title)}](doors/{door.name}.md) | {lessons} |"
