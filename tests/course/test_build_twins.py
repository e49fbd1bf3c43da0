"""Twin cells are proved against (a stand-in for) torch, or against what it once printed."""

import asyncio
import dataclasses
import shutil

import nbformat
import pytest
from build_project import ENGINE, TWIN_LESSON, engines, project, text

from course import truth
from course.build import twins
from course.build.__main__ import main
from course.build.make import load
from course.build.project import work_on


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Lesson 02 built with its stand-ins for minigrad and torch."""
    root = tmp_path_factory.mktemp("twins")
    checkout = project(root, **{"02_graphs": TWIN_LESSON})
    engines(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        assert main("build", checkout) == 0
    return checkout


@pytest.fixture
def twinned(built, tmp_path, monkeypatch):
    """A copy of it, to break."""
    shutil.copytree(built.root, tmp_path, dirs_exist_ok=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # an engine changes within a second
    return dataclasses.replace(built, root=tmp_path)


def problems(checkout):
    """What the proof of the twins alone says, as one text."""
    (lesson,) = load(checkout)
    notebook = nbformat.read(checkout.root / "notebooks" / "02_graphs.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [
        cell.outputs
        for cell, origin in zip(code, lesson.demos, strict=True)
        if "twin" in origin.keys
    ]

    async def prove():
        with work_on(checkout) as work:
            torch = asyncio.create_task(twins.torch_now([lesson], work))
            return await twins.prove(lesson, work, shown, torch)

    return "\n".join(asyncio.run(prove()))


def test_twins_that_agree(twinned, said):
    out = said(twinned, "check", code=0)
    assert out.startswith("twin cells: live against fake_torch\n")
    assert "twins 2 of 2 (100%)" in out


DIFFERENT = {
    "repr": (
        'f"tensor({self.value})"',
        'f"tensor({self.value}.)"',
        ":12: minigrad gives text `tensor(3)` where it was text `tensor(3.)` under torch",
    ),
    "message": (
        "a second time",
        "twice",
        ":21: minigrad gives error `RuntimeError: Trying to backward a second",
    ),
    "class": ("RuntimeError", "ValueError", ":21: minigrad gives error `RuntimeError: Trying"),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_twins_that_differ_are_named(twinned, case):
    old, new, sentence = DIFFERENT[case]
    engines(twinned.root, theirs=ENGINE.replace(old, new))
    out = problems(twinned)
    assert f"lessons/02_graphs.py{sentence}" in out
    assert "lessons/golden/02.json is not what torch prints now; run python3 run.py" in out


def test_truth_lists_the_cell_that_another_torch_changes(twinned):
    engines(twinned.root, theirs=ENGINE.replace("a second time", "twice"))
    listing = truth.Listing()
    truth.lessons(listing, twinned)
    assert listing.compared == {"cell": 3} and listing.differ.total() == 1
    ((what, recorded, now),) = listing.rows
    assert what == "cell lessons/02_graphs.py:21"
    assert recorded == "...ng to backward a second time; see torch.autograd"
    assert now == "...ng to backward twice; see torch.autograd"


def test_notes_are_minigrads_own(twinned):
    engines(twinned.root, theirs=ENGINE.replace('error.add_note("lesson 05 explains it")', ""))
    assert problems(twinned) == ""


def test_without_torch_the_golden_file_stands_in(twinned, said):
    (twinned.root / "fake_torch.py").unlink()
    out = said(twinned, "check", code=0)
    assert out.startswith(
        "twin cells: against the recorded golden files (fake_torch is not installed)\n"
    )
    engines(twinned.root, ours=ENGINE.replace('"tensor(', '"Tensor('))
    (twinned.root / "fake_torch.py").unlink()
    assert ":12: minigrad gives text `Tensor(3)` where it was text `tensor(3)`" in problems(twinned)


GOLDEN = {
    "missing": (lambda file: file.unlink(), "is missing"),
    "broken": (lambda file: file.write_text("{"), "cannot be read (JSONDecodeError)"),
    "of other cells": (
        lambda file: file.write_text(file.read_text().replace('"source": "', '"source": "0', 1)),
        "was recorded from other twin cells",
    ),
}


@pytest.mark.parametrize("case", GOLDEN)
def test_a_golden_file_that_proves_nothing(twinned, case):
    (twinned.root / "fake_torch.py").unlink()
    GOLDEN[case][0](twinned.root / "lessons" / "golden" / "02.json")
    said = f"lessons/golden/02.json {GOLDEN[case][1]}; run python3 run.py build 02 with torch"
    assert problems(twinned) == said


def test_building_without_torch_keeps_the_golden_file(twinned, said):
    golden = (twinned.root / "lessons" / "golden" / "02.json").read_bytes()
    (twinned.root / "fake_torch.py").unlink()
    said(twinned, "build", code=0)
    assert (twinned.root / "lessons" / "golden" / "02.json").read_bytes() == golden


def test_a_twin_that_shows_something_else_without_the_other_cells(twinned, said):
    changed = TWIN_LESSON.replace(
        '# %% twin=true at="02.one"',
        """# %% solo="a trap"
print.__self__.Ghost = 1

# %% twin=true
import builtins
print(hasattr(builtins, "Ghost"))

# %% twin=true at="02.one\"""",
    )
    (twinned.root / "lessons" / "02_graphs.py").write_text(text(changed))
    said(twinned, "build", code=0)
    out = said(twinned, "check")
    assert (
        "lessons/02_graphs.py:15: run among twin cells alone it gives stdout `False` where it "
        "was stdout `True`" in out
    )
    assert "not a twin: a trap (1 cell)" in out


def test_a_measured_twin_must_end_well_under_both(twinned, said):
    lesson = TWIN_LESSON + '\n# %% twin=true measured="seconds"\nmg.seconds()\n'
    (twinned.root / "lessons" / "02_graphs.py").write_text(text(lesson))
    clock = "def seconds():\n    import time\n    return time.time()\n"
    engines(twinned.root, ours=ENGINE + clock, theirs=ENGINE + clock)
    said(twinned, "build", code=0)
    assert problems(twinned) == ""
    engines(twinned.root, ours=ENGINE + clock)
    sentence = ":24: minigrad gives nothing where it was error `AttributeError: module 'fake_torch'"
    assert sentence in problems(twinned)


def test_too_few_twins(twinned, said):
    lesson = TWIN_LESSON + 3 * '\n# %% solo="a reason"\n1\n'
    (twinned.root / "lessons" / "02_graphs.py").write_text(text(lesson))
    said(twinned, "build", code=0)
    out = said(twinned, "check")
    assert "lessons/02_graphs.py: 2 of 5 demos are twins (40%); at least 60% must be" in out
    assert "not a twin: a reason (3 cells)" in out


def test_a_set_up_cell_that_is_no_twin_still_leaves_mg(twinned, said):
    lesson = TWIN_LESSON.replace("# %% twin=true\nimport fake_mg", "# %%\nimport fake_mg")
    (twinned.root / "lessons" / "02_graphs.py").write_text(text(lesson))
    said(twinned, "build", code=0)
    assert problems(twinned) == ""


def test_all_lessons_ask_one_torch_and_none_sees_another(twinned, said):
    counting = (twinned.root / "fake_torch.py").read_text() + "\nstarts = open('starts', 'a')\n"
    (twinned.root / "fake_torch.py").write_text(counting + "starts.write('x'); starts.flush()\n")
    text = (twinned.root / "lessons/02_graphs.py").read_text()
    for number, others in ("02", "left_03"), ("03", "left_02"):
        leaves = f"left_{number} = 1; print({others!r} in globals()); x = mg.tensor(3)"
        other = text.replace("# 02 ", f"# {number} ").replace("02.one", f"{number}.one")
        path = twinned.root / f"lessons/{number}_graphs.py"
        path.write_text(other.replace("x = mg.tensor(3)", leaves))
    said(twinned, "build", code=0)
    (twinned.root / "starts").write_text("")
    assert "2 lessons proved" in said(twinned, "check", code=0)
    assert (twinned.root / "starts").read_text() == "x"
