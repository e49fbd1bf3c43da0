"""One source gives three notebooks with stable ids, locked checks and folded hints."""

import nbformat
import pytest
from build_project import text
from test_build_source import GOOD

from course.build.products import language_info, paths, products
from course.build.source import read_lesson

HINTS = """
# %% [markdown] hint="count"
# Nearer.
"""


def made(tmp_path, source=GOOD + HINTS):
    path = tmp_path / "04_freed.py"
    path.write_text(text(source))
    return {product.folder: product for product in products(read_lesson(path))}


def sources(product):
    return [cell.source for cell in product.notebook.cells]


def test_the_lesson_leaves_exercises_out_and_links_them(tmp_path):
    lesson = made(tmp_path)["notebooks"]
    assert sources(lesson)[-1] == (
        "**Exercise** in [exercises/04_freed.ipynb](../exercises/04_freed.ipynb):\n\n"
        "- Count (difficulty 2 of 3, about 5 minutes)"
    )
    assert not any("SOLUTION" in source or "check(" in source for source in sources(lesson))
    assert [cell.source for cell, _ in lesson.code()] == [
        "import math",
        "math.sqrt(4)",
        'raise RuntimeError("x")',
    ]


def test_the_link_stands_where_the_exercise_was(tmp_path):
    after = GOOD + "\n# %% [markdown]\n# ## Last\n# Words.\n"
    assert sources(made(tmp_path, after)["notebooks"])[-2].startswith("**Exercise**")


def test_the_exercise_has_setup_card_stub_check_and_hints(tmp_path):
    exercise = made(tmp_path)["exercises"]
    title, setup, card, stub, check, hints = sources(exercise)
    assert title.startswith("# 04  Which is freed: exercises")
    assert setup == "import math\n\nfrom course.grade import check"
    assert card == "### Count\n\n*difficulty 2 of 3, about 5 minutes*"
    assert stub == 'def count():\n    raise NotImplementedError("count: not written yet")'
    assert check == "check(count)"
    assert hints == (
        "<details><summary>Hint 1: a nudge</summary>\n\nLook.\n\n"
        "<details><summary>Hint 2: the approach</summary>\n\nNearer.\n\n</details>\n\n</details>"
    )
    assert all(not cell.outputs and cell.execution_count is None for cell, _ in exercise.code())


def test_the_check_is_locked_and_the_answer_is_not(tmp_path):
    cells = made(tmp_path)["exercises"].notebook.cells
    answer, check = cells[3].metadata, cells[4].metadata
    assert check["editable"] is False and check["deletable"] is False
    assert "editable" not in answer and answer["deletable"] is False
    assert answer["minigrad"] == {"exercise": "count", "role": "answer"}


def test_the_solution_runs_the_region(tmp_path):
    assert "def count():\n    return 1" in sources(made(tmp_path)["solutions"])


def test_several_regions_keep_what_stands_between(tmp_path):
    source = GOOD.replace(
        "    return 1\n    ### END SOLUTION\n",
        """    a = 1
    ### END SOLUTION
    if True:
        ### BEGIN SOLUTION
        return a
        ### END SOLUTION
""",
    )
    stub = sources(made(tmp_path, source)["exercises"])[3]
    assert stub.count("raise NotImplementedError") == 2 and "\n    if True:\n        raise" in stub


def test_a_stub_of_its_own_takes_the_place_of_the_error(tmp_path):
    source = GOOD.replace(
        "    return 1\n    ### END",
        "    return 1\n    ### STUB\n    # if True:\n    #     return 2\n    #\n"
        "    # # why\n    ### END",
    )
    both = made(tmp_path, source)
    assert sources(both["exercises"])[3] == (
        "def count():\n    if True:\n        return 2\n\n    # why"
    )
    assert "def count():\n    return 1" in sources(both["solutions"])


def test_tags_follow_keys(tmp_path):
    source = GOOD.replace('solo="plain arithmetic"', 'solo="x" measured="seconds"')
    tags = [cell.metadata.get("tags") for cell, _ in made(tmp_path, source)["notebooks"].code()]
    assert tags == [None, ["nbval-ignore-output"], ["raises-exception"]]


def test_a_cell_of_cards_alone_hides_its_source(tmp_path):
    card = 'predict(\n    "04.k",\n    "?",\n    {"a": "no", "b": "yes"},\n    run=f,\n)'
    source = GOOD.replace("math.sqrt(4)", card)
    hidden = [
        cell.metadata.get("jupyter") for cell, _ in made(tmp_path, source)["notebooks"].code()
    ]
    assert hidden == [None, {"source_hidden": True}, None]
    source = GOOD.replace("math.sqrt(4)", "f = len\n" + card)
    hidden = [
        cell.metadata.get("jupyter") for cell, _ in made(tmp_path, source)["notebooks"].code()
    ]
    assert hidden == [None, None, None]


def test_no_exercise_no_exercise_notebook(tmp_path):
    source = GOOD[: GOOD.index("# %% [markdown] card")]
    assert list(made(tmp_path, source)) == ["notebooks"]
    assert paths(read_lesson(tmp_path / "04_freed.py")) == ["notebooks/04_freed.ipynb"]


def test_ids_are_unique_stable_and_follow_an_exercise_everywhere(tmp_path):
    first, again = made(tmp_path), made(tmp_path)
    for folder, product in first.items():
        ids = [cell.id for cell in product.notebook.cells]
        assert len(set(ids)) == len(ids)
        assert ids == [cell.id for cell in again[folder].notebook.cells]
        nbformat.validate(product.notebook)
    longer = GOOD.replace("# %% check", "# %% [markdown]\n# More prose.\n\n# %% check") + HINTS
    assert [cell.id for cell in made(tmp_path, longer)["exercises"].notebook.cells] == [
        cell.id for cell in first["exercises"].notebook.cells
    ]
    assert first["exercises"].notebook.cells[3].id == first["solutions"].notebook.cells[3].id


def test_a_new_section_leaves_the_ids_of_the_ones_before_it(tmp_path):
    before = made(tmp_path)["notebooks"].notebook.cells[:5]
    after = made(tmp_path, GOOD + "\n# %% [markdown]\n# ## Last\n")["notebooks"].notebook.cells
    assert [cell.id for cell in before] == [cell.id for cell in after][:5]


@pytest.mark.parametrize("folder", ["notebooks", "exercises", "solutions"])
def test_metadata_is_the_kernels_own(tmp_path, folder):
    metadata = made(tmp_path)[folder].notebook.metadata
    assert metadata.kernelspec.display_name == "Python 3 (ipykernel)"
    assert metadata.language_info == language_info()
