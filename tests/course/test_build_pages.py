"""A page is built and proved as a lesson is, and owes nothing that only a lesson owes."""

import json

import pytest
from build_project import project, text

from course import copies
from course.build.__main__ import main
from course.build.rules import validate
from course.build.source import SourceError, read_lesson

SECTION = """
# %% [markdown]
# ## Section {0}

# %%
print({0})
"""
PAGE = (
    "\n# %% [markdown]\n# # Look around"
    + ("\n# " + "word " * 100 + "\n#") * 2 * 50  # fifty minutes
    + "\n\n# %%\nstart = 1\n"
    + "".join(SECTION.format(number) for number in range(8))
)
LESSON = "# %% [markdown]\n# # 02  Graphs\n# %%\nstart = 1\n"


@pytest.fixture
def checkout(tmp_path):
    return project(tmp_path, **{"02_graphs": LESSON, "playground": PAGE})


def broken(folder, source):
    path = folder / "playground.py"
    path.write_text(text(source))
    with pytest.raises(SourceError) as caught:
        validate(read_lesson(path))
    return str(caught.value)


def test_a_page_needs_no_number_minutes_or_twins(checkout, said):
    assert "playground       a page, sections 8, code cells 9: 1 of 1" in said(
        checkout, "build", "playground", code=0
    )
    notebook = json.loads((checkout.root / "notebooks" / "playground.ipynb").read_text())
    assert notebook["cells"][0]["source"][0] == "# Look around\n"
    assert not (checkout.root / "exercises").exists()
    proved = said(checkout, "check", "playground", code=0)
    assert "1 lesson proved" in proved and "warning" not in proved


def test_a_page_is_one_of_all_and_is_copied(checkout, said):
    assert "02_graphs " in said(checkout, "build", code=0)
    assert "2 lessons proved" in said(checkout, "check", code=0)
    made = [path.name for path in copies.make(checkout.root)]
    assert made == ["02_graphs.ipynb", "playground.ipynb"]


def test_only_names_that_are_known_are_pages(checkout, capsys):
    (checkout.root / "lessons" / "helper.py").write_text("not a source")
    assert main("check", checkout, lessons=["helper"]) == 2
    assert "no lesson 'helper'; the lessons are 02, playground" in capsys.readouterr().err


def test_what_is_stored_is_what_the_source_gives(checkout, said):
    said(checkout, "build", "playground", code=0)
    source = checkout.root / "lessons" / "playground.py"
    source.write_text(source.read_text().replace("print(7)", "print(8)"))
    told = said(checkout, "check", "playground")
    assert "cell 18 has another source than the source gives" in told
    assert "run python3 run.py build playground" in told


def test_a_cell_of_a_page_can_be_run_twice(tmp_path, said):
    page = PAGE.replace("print(7)", "start = start + 1\nprint(start)")
    checkout = project(tmp_path, playground=page)
    said(checkout, "build", code=0)
    assert "run twice in a row, the cell gives" in said(checkout, "check")


def test_a_page_without_a_source_is_stale(checkout, said):
    said(checkout, "build", code=0)
    (checkout.root / "lessons" / "playground.py").unlink()
    (checkout.root / "notebooks" / "mine.ipynb").write_text("{}")
    assert "removed notebooks/playground.ipynb" in said(checkout, "build", code=0)
    left = sorted(path.name for path in (checkout.root / "notebooks").iterdir())
    assert left == ["02_graphs.ipynb", "mine.ipynb"]


@pytest.mark.parametrize("key", ["twin=true", 'solo="why"', 'check="it"'])
def test_keys_of_lessons_are_refused(tmp_path, key):
    told = broken(tmp_path, PAGE.replace("# %%\nprint(3)", f"# %% {key}\nprint(3)"))
    assert f"the key '{key.partition('=')[0]}' belongs in a lesson; playground is none" in told


def test_the_title_stands_alone(tmp_path):
    told = broken(tmp_path, PAGE.replace("# # Look around", "# Look around"))
    assert told.endswith(":1: the first cell is the title, '# Title'")
