"""Every link of every notebook leads somewhere: next, back, exercise, solution, and the threads."""

import itertools
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from build_project import project

from course import copies
from course.build import budget, links, tables
from course.build.make import BrokenSources, load
from course.build.outline import about, minutes
from course.build.products import exercise_ids, exercise_source, products
from course.build.project import FOLDERS, Project
from course.build.write import to_bytes
from course.classroom import release
from tests.loaded import COURSE

ROOT = Path(__file__).parents[2]
LESSONS = [lesson for lesson in COURSE if not lesson.is_page]
PRACTISED = [lesson for lesson in LESSONS if exercise_ids(lesson)]
MADE = {made.path: made for lesson in COURSE for made in products(lesson)}
CODE = re.compile(r"^```[\s\S]*?^```|`[^`\n]*`", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
TARGET = re.compile(r"^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)


def prose(path):
    """The Markdown of a notebook without code."""
    cells = MADE[path].notebook.cells
    return [CODE.sub("", cell.source) for cell in cells if cell.cell_type == "markdown"]


def targets(path):
    """Where its links lead, those of references included."""
    text = "\n\n".join(prose(path))
    return {target for _, target in LINK.findall(text)} | set(TARGET.findall(text))


def found(path, target):
    """(path, cell or None) of what a target names; an AssertionError where there is nothing."""
    file, _, place = target.partition("#")
    file = os.path.normpath(f"{os.path.dirname(path)}/{file}") if file else path
    assert file in MADE, f"{path}: {target} leads to no notebook"
    if not place:
        return file, None
    cells = [cell for cell in MADE[file].notebook.cells if matches(cell, place)]
    assert len(cells) == 1, f"{path}: {target} leads to no place in {file}"
    return file, cells[0]


def matches(cell, place):
    if place.startswith("cell-id="):
        return cell.id == place.removeprefix("cell-id=")
    return cell.source.partition("\n")[0].lstrip("# ").replace(" ", "-") == place


@pytest.mark.parametrize("path", MADE)
def test_every_link_leads_to_a_notebook_and_a_place_in_it(path):
    for target in targets(path):
        if not target.startswith(("https://", "../course/")):
            found(path, target)


def test_links_to_files_of_the_course_hold_in_the_lesson_and_in_its_working_copy():
    seen = set()
    for path in MADE:
        stored = copies.load(ROOT / path)
        for folder, cells in (("", stored["cells"]), ("my", copied(path))):
            text = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
            linked = re.findall(r"\]\(([./]*/course/[^)]*)\)", text)
            here = os.path.dirname(f"{ROOT}/{folder}/{path}")
            assert all(os.path.isfile(os.path.normpath(f"{here}/{to}")) for to in linked), path
            seen.update((folder, os.path.basename(to)) for to in linked)
    assert {("", "stored_twin.py"), ("my", "stored_twin.py")} <= seen


def copied(path):
    return copies.original(ROOT, Path(path))["cells"]


@pytest.mark.parametrize("path", MADE)
def test_every_reference_in_brackets_has_its_target(path):
    text = "\n\n".join(prose(path))
    named = set(re.findall(r"\[(\d\d|playground)\](?![(:])", text))
    assert named <= set(re.findall(r"^\[([^\]]+)\]:", text, re.MULTILINE))


def test_the_working_copies_mirror_all_that_is_linked():
    assert set(copies.FOLDERS) == set(FOLDERS)


def leads(path):
    """The notebooks that the last cell of a notebook leads to: its way back and on."""
    last = MADE[path].notebook.cells[-1].source
    return {found(path, target)[0] for _, target in LINK.findall(last)}


def test_lessons_lead_to_the_one_before_and_the_one_after():
    for one, other in itertools.pairwise(LESSONS):
        here, there = (f"notebooks/{lesson.name}.ipynb" for lesson in (one, other))
        assert there in leads(here) and here in leads(there)


@pytest.mark.parametrize("lesson", PRACTISED, ids=lambda one: one.name)
def test_lesson_exercises_and_solutions_lead_to_each_other(lesson):
    text, task, solved = (f"{folder}/{lesson.name}.ipynb" for folder in FOLDERS)
    later = LESSONS[LESSONS.index(lesson) + 1 :][:1]
    after = {f"notebooks/{one.name}.ipynb" for one in later}
    assert {task} | after <= leads(text)
    assert {text, solved} | after == leads(task)
    assert {text, task} | after == leads(solved)


@pytest.mark.parametrize("path", MADE)
def test_every_mention_of_a_thread_leads_to_its_heading(path):
    for text in prose(path):
        body = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
        assert not re.findall(r"[Tt]hreads?\s+\d{3}", LINK.sub("", body)), text
        for words, target in LINK.findall(body):
            number = re.fullmatch(r"(?:[Tt]hread\s+)?(00\d)", words)
            if number:
                file, cell = found(path, target)
                assert (file, cell.source[:13]) == (
                    "notebooks/threads.ipynb",
                    f"## Thread {number[1]}",
                )


def test_the_page_of_threads_lists_all_that_was_asked():
    page = "\n".join(prose("notebooks/threads.ipynb"))
    outline = COURSE[0].outline
    asked = [entry for entry in outline.questions if entry["thread"]]
    assert len(outline.threads) == 5 and len(asked) > 50
    assert page.count("\n- ") == len(asked) + len(outline.threads)  # and the menu
    assert r"the node's \_saved\_ attribute" in page


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_the_minutes_below_the_title_are_those_that_the_build_counts(lesson):
    head = MADE[f"notebooks/{lesson.name}.ipynb"].notebook.cells[0].source.splitlines()[2]
    counted = budget.size(lesson)
    told = [int(number) for number in re.findall(r"(\d+) minutes", head)]
    assert [5 * round(counted.sitting / 5), 5 * round(counted.working / 5)][: len(told)] == told
    assert len(told) == (2 if counted.exercises else 1)


def test_no_minutes_are_typed_where_the_build_can_count_them():
    for name, text in (("00_welcome", r"\d+ (minutes|hours)|half an hour|an hour"),):
        source = (ROOT / "lessons" / f"{name}.py").read_text("utf-8")
        assert not re.search(text, source)


def test_the_tables_of_readme_and_docs_are_the_builds():
    assert list(tables.stale(Project(), COURSE[0].outline)) == []


def test_a_table_is_written_anew_and_only_its_own_place_changes(tmp_path):
    checkout = project(tmp_path, **{"00_one": LESSON.format("00", "One", "word " * 2000)})
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- lessons -->\nold\n<!-- end -->\nafter\n")
    outline = load(checkout)[0].outline
    assert list(tables.stale(checkout, outline)) != []
    assert tables.write(checkout, outline) == ["README.md"]
    assert list(tables.stale(checkout, outline)) == []
    text = readme.read_text()
    assert text.startswith("before\n<!-- lessons -->\n|") and text.endswith("<!-- end -->\nafter\n")
    assert "| [00 One](notebooks/00_one.ipynb) | 10 | - |" in text and "old" not in text


def test_the_minutes_of_a_lesson_are_one_number_wherever_they_stand():
    outline = COURSE[0].outline
    rows = tables.lessons(outline, "").splitlines()[2:-1]
    planned = tables.teaching(outline).splitlines()[2:]
    for lesson, row, plan in zip(outline.lessons, rows, planned, strict=True):
        told = re.findall(r"(\d+) minutes", links.head(lesson))
        assert re.findall(r"\| (\d+)(?= \|)", row) == told
        _, tried, *work = re.findall(r"\| (\d+)(?= \|)", plan)
        assert [tried, *work[1:]] == told


LESSON = "# %% [markdown]\n# # {0}  {1}\n# {2}\n# %%\nstart = 1\n"


def test_minutes_of_lessons_of_parts_of_them_and_with_exercises():
    outline = COURSE[0].outline
    sizes = [budget.size(lesson) for lesson in outline.lessons]
    whole = sum(size.sitting for size in sizes)
    last = outline.lessons[-1].number
    assert minutes(outline, f"00-{last}") == minutes(outline, f"00 01-{last}") == whole
    assert minutes(outline, f"00-{last}", True) == whole + sum(size.working for size in sizes)
    parts = [minutes(outline, f"04.{section}") for section in range(1, 7)]
    assert parts == sorted(set(parts)) and parts[-1] == minutes(outline, "04")


def test_a_small_experiment_counts_three_minutes():
    lesson = COURSE[4]
    cells = [replace(c, source=c.source.replace("**Try it.**", "Try it.")) for c in lesson.cells]
    less = budget.size(replace(lesson, cells=cells))
    size = budget.size(lesson)
    assert size.tries > 0 == less.tries and less.minutes == size.minutes
    assert size.sitting - less.sitting == 3 * size.tries


@pytest.mark.parametrize(
    ("given", "said"), [(1, "5 minutes"), (63, "65 minutes"), (119, "2 hours"), (200, "3½ hours")]
)
def test_time_is_said_as_people_say_it(given, said):
    assert about(given) == said


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("{time: 17}", "there is no lesson '17'; the lessons are 00"),
        ("{asked: 009}", "there is no thread '009'; the page of threads has none"),
        ("{time 00}", "unknown field '{time 00}'"),
    ],
)
def test_a_field_that_names_nothing_is_one_sentence(tmp_path, field, why):
    checkout = project(tmp_path, **{"00_one": LESSON.format("00", "One", field)})
    with pytest.raises(BrokenSources, match=re.escape(f"lessons/00_one.py:1: {why}")):
        load(checkout)


def test_only_words_become_links():
    lesson = COURSE[5]
    kept = "`thread 003`, [thread 003](x)\n\n## Thread 003\n\n```\nthread 003\n```\n\nthread 999"
    assert links.dressed(kept, lesson, "notebooks") == kept
    made = links.dressed("In threads 000 and\n004, thread\n001's", lesson, "exercises")
    assert re.sub(r"\(\.\./notebooks/threads\.ipynb#cell-id=\w{12}\)", "", made) == (
        "In threads [000] and\n[004], [thread\n001]'s"
    )


def test_a_class_gets_no_link_to_what_it_does_not_have():
    for lesson in PRACTISED:
        path = f"exercises/{lesson.name}.ipynb"
        whole = to_bytes(MADE[path].notebook)
        given = release._for_learners(path, whole)
        assert b"solutions/" in whole and b"solutions" not in given
        assert b"solutions/" not in to_bytes(exercise_source(lesson).notebook)
