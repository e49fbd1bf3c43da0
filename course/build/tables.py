"""The tables of lessons and minutes in README and docs, written by the build, proved by check.

What stands between `<!-- lessons -->` and `<!-- end -->` in one of PAGES is the build's.
"""

import re

from . import budget
from .outline import about, minutes, to_five
from .write import replace_all

BLOCK = re.compile(r"(?<=<!-- lessons -->\n)[\s\S]*?(?=<!-- end -->)")


def lessons(outline, folder):
    """Each lesson as a link, for a page from which the notebooks lie in `folder`."""
    rows = ["| lesson | minutes | exercises, minutes |", "|---|---|---|"]
    for lesson in outline.lessons:
        counted = budget.size(lesson)
        link = f"[{lesson.number} {lesson.title}]({folder}{lesson.name}.ipynb)"
        work = to_five(counted.working) if counted.exercises else "-"
        rows.append(f"| {link} | {to_five(counted.sitting)} | {work} |")
    return "\n".join([*rows, f"| together | {_hours(outline)} | {_hours(outline, of='working')} |"])


def teaching(outline):
    """The same for whoever plans a class: read and run alone, with the experiments, exercises."""
    rows = [
        "| lesson | minutes | with experiments | exercises | minutes |",
        "|---|---|---|---|---|",
    ]
    for lesson in outline.lessons:
        counted = budget.size(lesson)
        work = f"{counted.exercises} | {to_five(counted.working)}" if counted.exercises else "- | -"
        name = f"{lesson.number} {lesson.title}"
        alone, tried = to_five(counted.minutes), to_five(counted.sitting)
        rows.append(f"| {name} | {alone} | {tried} | {work} |")
    return "\n".join(rows)


def _hours(outline, of="sitting"):
    return about(sum(getattr(budget.size(lesson), of) for lesson in outline.lessons))


def _readme(outline):
    numbers = f"{outline.lessons[0].number}-{outline.lessons[-1].number}"
    whole = about(minutes(outline, numbers, exercises=True))
    sentence = (
        "Minutes are estimates, the small experiments of each lesson included. All of it, with the "
        f"exercises, takes about {whole}."
    )
    return f"{lessons(outline, 'notebooks/')}\n\n{sentence}"


PAGES = {"README.md": _readme, "docs/teaching.md": teaching}


def write(project, outline):
    """Bring the tables up to date; gives the pages that changed."""
    files = {project.root / name: text.encode() for name, _, text in _pages(project, outline)}
    return [path.name for path in replace_all(files)]


def stale(project, outline):
    """Sentences about pages whose table is not the build's."""
    for name, old, new in _pages(project, outline):
        if old != new:
            yield f"{name}: its table of lessons is old; run python3 run.py build"


def _pages(project, outline):
    """(name, text as it is, text as it should be) of each page with such a place.

    None while a source cannot be read: its minutes would be missing.
    """
    for name, table in PAGES.items():
        path = project.root / name
        text = path.read_text("utf-8") if path.is_file() else ""
        found = BLOCK.search(text)
        if found and outline.lessons and outline.whole:
            start, end = found.span()
            yield name, text, f"{text[:start]}{table(outline)}\n{text[end:]}"
