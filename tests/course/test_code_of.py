"""`code_of` shows the code that runs, and leads to its file from wherever the notebook lies."""

import json
import os
import re
from pathlib import Path

import pytest

from course.build.rules import WIDEST
from course.bytes_along import price
from course.code_of import ROOT, code_of
from course.coupled import couple, undo_half


def test_the_text_is_the_code_below_its_file():
    text = repr(code_of(couple))
    assert text.startswith("# course/coupled.py\n\ndef couple(f, g, x1, x2):\n")
    assert text.endswith("    return y1, y2")


def test_each_file_is_named_once_with_all_its_functions():
    text = repr(code_of(couple, price, undo_half))
    assert text.index("# course/coupled.py") < text.index("def undo_half") < text.index("def price")
    assert text.count("# course/") == 2


def test_markdown_is_a_fence_and_a_link_and_folds_on_demand():
    shown, folded = (
        code_of(couple)._repr_markdown_(),
        code_of(couple, folded=True)._repr_markdown_(),
    )
    assert shown.startswith("```python\ndef couple(") and "<details>" not in shown
    assert folded == (
        f"<details><summary>Show the code of <code>couple</code></summary>\n\n{shown}\n\n</details>"
    )


@pytest.mark.parametrize("folder", ["", "notebooks", "my/notebooks"])
def test_the_link_leads_to_the_file_from_the_folder_of_the_notebook(folder, monkeypatch):
    """A build runs notebooks at the root, and what it stores lies in notebooks/."""
    monkeypatch.setattr(Path, "cwd", lambda: ROOT / folder)
    text = code_of(couple)._repr_markdown_()
    link = text[text.rindex("(") + 1 : text.rindex(")")]
    found = os.path.normpath(ROOT / (folder or "notebooks") / link)
    assert found == str(ROOT / "course" / "coupled.py")


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_no_code_that_a_lesson_shows_is_wider_than_a_program_on_its_pages(path):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [one["data"] for cell in cells for one in cell.get("outputs", []) if "data" in one]
    shown = "\n".join("".join(data.get("text/markdown", "")) for data in outputs)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", shown, re.DOTALL | re.MULTILINE))
    assert [line for line in code.splitlines() if len(line) > WIDEST] == []
