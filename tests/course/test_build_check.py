"""Each proof of `check` holds on a sound checkout and names what breaks it."""

import gc
import json
import os

import pytest
from build_project import project

from course.build.__main__ import main

SOUND = """
# %% [markdown]
# # 00  Trial
# Enough words to be more than the code below this cell.

# %%
import os

# %% [markdown]
# ## One

# %% at="00.one"
a = []
a.append(1)
a

# %% raises="ZeroDivisionError"
1 / 0

# %% [markdown]
# ## Two

# %% measured="a process id"
os.getpid()

# %% [markdown] card="one"
# ### One

# %% exercise="one" difficulty=1 minutes=2
def one():
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION
"""
COVERED = """
[[question]]
id = "000.1"
kind = "question"
thread = "000"
text = "Which?"
lessons = "00"
cell = "00.one one"
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    root = tmp_path_factory.mktemp("sound")
    checkout = project(root, coverage=COVERED, **{"00_trial": SOUND})
    assert main("build", checkout) == 0
    return checkout


def test_a_sound_checkout_is_proved(sound, said):
    out = said(sound, "check", code=0)
    assert "00_trial" in out and "ok" in out and out.endswith("1 lesson proved\n")
    assert "~measured, not compared: 1 cell\n" in out


def edited(sound, path, change):
    """Change a stored notebook for one test."""
    file = sound.root / path
    notebook = json.loads(file.read_text())
    change(notebook["cells"])
    file.write_text(json.dumps(notebook, indent=1, sort_keys=True) + "\n")


def outputs(text):
    return [
        {
            "output_type": "execute_result",
            "execution_count": 2,
            "metadata": {},
            "data": {"text/plain": text},
        }
    ]


LESSON, EXERCISE = "notebooks/00_trial.ipynb", "exercises/00_trial.ipynb"
TAMPERED = {
    "output": (
        LESSON,
        lambda c: c[3].update(outputs=outputs("[2]")),
        f"{LESSON}: cell 4 now gives text `[1]` where it was text `[2]` in the stored",
    ),
    "no output": (
        LESSON,
        lambda c: c[3].update(outputs=[]),
        f"{LESSON}: cell 4 now gives text `[1]` where there was nothing",
    ),
    "source": (
        LESSON,
        lambda c: c[3].update(source=["a = [1]"]),
        f"{LESSON}: cell 4 has another source",
    ),
    "prose": (
        LESSON,
        lambda c: c[0].update(source=["# 00  Other"]),
        f"{LESSON}: cell 1 has another source",
    ),
    "id": (LESSON, lambda c: c[3].update(id="other"), f"{LESSON}: cell 4 has another id"),
    "tag": (LESSON, lambda c: c[4].update(metadata={}), f"{LESSON}: cell 5 has another metadata"),
    "missing cell": (LESSON, lambda c: c.pop(), f"{LESSON}: 8 cells, the source gives 9"),
    "never run": (
        LESSON,
        lambda c: c[3].update(execution_count=None),
        f"{LESSON}: code cell 2: execution_count is None, expected 2",
    ),
    "run out of order": (
        LESSON,
        lambda c: c[3].update(execution_count=9),
        f"{LESSON}: code cell 2: execution_count is 9, expected 2",
    ),
    "untagged error": (
        LESSON,
        lambda c: c[4].update(metadata={}),
        f"{LESSON}: code cell 3: error without the tag raises-exception",
    ),
    "no error": (
        LESSON,
        lambda c: c[4].update(outputs=[]),
        f"{LESSON}: code cell 3: tagged raises-exception but no stored error",
    ),
    "output in an exercise": (
        EXERCISE,
        lambda c: c[1].update(outputs=outputs("1")),
        f"{EXERCISE}: an exercise notebook with stored outputs",
    ),
    "unlocked": (
        EXERCISE,
        lambda c: c[2].update(metadata={}),
        f"{EXERCISE}: cell 3 has another metadata",
    ),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_stored_notebook_that_is_not_the_sources_is_found(sound, case):
    from course.build import current
    from course.build.make import load
    from course.build.products import products

    path, change, sentence = TAMPERED[case]
    good = (sound.root / path).read_bytes()
    (product,) = (p for p in products(load(sound)[0]) if p.path == path)
    fresh, _ = current.read(sound, product)
    product.notebook.cells = fresh.cells  # as executed
    assert current.differences(*current.read(sound, product)[:1], product) == []
    try:
        edited(sound, path, change)
        stored, _ = current.read(sound, product)
        found = current.differences(stored, product) + current.unexecuted(stored, product)
        assert any(line.startswith(sentence) for line in found), found
    finally:
        (sound.root / path).write_bytes(good)


def test_another_text_is_found_without_a_run_and_outputs_are_not_looked_at(sound, capsys):
    from course.build import text

    good = (sound.root / LESSON).read_bytes()
    assert text.main(sound) == 0
    try:
        edited(sound, LESSON, TAMPERED["output"][1])
        assert text.main(sound) == 0
        edited(sound, LESSON, TAMPERED["source"][1])
        assert text.main(sound) == 1
    finally:
        (sound.root / LESSON).write_bytes(good)
    assert capsys.readouterr().err == f"{TAMPERED['source'][2]} than the source gives; " + (
        "run python3 run.py build 00\n"
    )


def test_check_sees_a_tampered_a_missing_and_a_broken_notebook(sound, said):
    files = {
        path: (sound.root / path).read_bytes()
        for path in (LESSON, EXERCISE, "solutions/00_trial.ipynb")
    }
    try:
        edited(sound, LESSON, TAMPERED["output"][1])
        edited(sound, LESSON, TAMPERED["never run"][1])
        (sound.root / EXERCISE).unlink()
        (sound.root / "solutions/00_trial.ipynb").write_text("<<<<<<< HEAD\n")
        (sound.root / "notebooks/09_gone.ipynb").write_text("{}")
        sound.coverage.write_text(COVERED.replace("00.one one", "00.two"))
        out = said(sound, "check")
    finally:
        (sound.root / "notebooks/09_gone.ipynb").unlink()
        sound.coverage.write_text(COVERED)
        for path, data in files.items():
            (sound.root / path).write_bytes(data)
    assert TAMPERED["output"][2] in out and TAMPERED["never run"][2] in out
    assert f"{EXERCISE} is missing; run python3 run.py build 00" in out
    assert "solutions/00_trial.ipynb is not a notebook; run python3 run.py build 00" in out
    assert "notebooks/09_gone.ipynb: no source gives it; run python3 run.py build" in out
    assert "lessons/coverage.toml: 000.1: there is no cell '00.two' in lesson 00" in out
    assert out.endswith("1 lesson: 6 problems\n")


def test_check_writes_nothing(sound, said):
    before = {path: path.stat().st_mtime_ns for path in sound.root.rglob("*")}
    said(sound, "check", code=0)
    assert {path: path.stat().st_mtime_ns for path in sound.root.rglob("*")} == before


def test_other_versions_of_python_are_no_problem_other_kernels_are(sound, said):
    good = (sound.root / LESSON).read_text()
    try:
        (sound.root / LESSON).write_text(good.replace('"version": "3.', '"version": "4.'))
        said(sound, "check", code=0)
        (sound.root / LESSON).write_text(good.replace("Python 3 (ipykernel)", "mine"))
        assert "other notebook metadata than the build's" in said(sound, "check")
    finally:
        (sound.root / LESSON).write_text(good)


HEAD = "# %% [markdown]\n# # 00  T\n# %%\nimport math\nseen = []\n"


def test_a_section_that_leans_on_another_is_named(tmp_path, said):
    source = (
        HEAD + "# %% [markdown]\n# ## A\n# %%\nx = 1\nmath.pi\n"
        "# %% [markdown]\n# ## B\n# %%\nx + 1\n"
    )
    checkout = project(tmp_path, **{"00_t": source})
    said(checkout, "build", code=0)
    out = said(checkout, "check")
    assert (
        "lessons/00_t.py:13: with only the set-up cell and its own section before it, the cell "
        "gives error `NameError: name 'x' is not defined` where it was text `2`" in out
    )
    assert out.endswith("1 lesson: 1 problem\n")


def test_a_cell_that_differs_the_second_time_is_named(tmp_path, said):
    checkout = project(tmp_path, **{"00_t": HEAD + "# %%\nseen.append(1)\nlen(seen)\n"})
    said(checkout, "build", code=0)
    assert (
        "lessons/00_t.py:6: run twice in a row, the cell gives text `2` where it was text `1`"
        in said(checkout, "check")
    )


def test_the_collector_can_be_let_come_at_other_moments(tmp_path, said):
    """So a cell that tells of a ring before it is collected, by luck, is found."""
    source = HEAD.replace("math", "gc") + "# %%\nprint(gc.get_threshold()[0])\n"
    checkout = project(tmp_path, **{"00_t": source})
    said(checkout, "build", code=0)
    said(checkout, "check", code=0)
    out = said(checkout, "check", collector=1234)
    assert "lessons/00_t.py:6: with only the set-up cell and its own section before it" in out
    assert f"where it was stdout `{gc.get_threshold()[0]}`" in out


def test_a_measured_cell_must_still_end_well(tmp_path, said):
    source = HEAD + '# %% measured="x"\nseen.append(1)\nassert len(seen) == 1\nid(seen)\n'
    checkout = project(tmp_path, **{"00_t": source})
    said(checkout, "build", code=0)
    assert (
        "lessons/00_t.py:6: run twice in a row, the cell gives error `AssertionError` where "
        in (said(checkout, "check"))
    )


def test_an_endless_cell_is_stopped_in_a_proof(tmp_path, said, monkeypatch):
    source = HEAD + "# %%\nseen.append(1)\nwhile len(seen) == 2: pass\n"
    checkout = project(tmp_path, **{"00_t": source})
    said(checkout, "build", code=0)
    monkeypatch.setattr("course.build.child.SECONDS", 3)
    assert "lessons/00_t.py: each cell twice: longer than 3 s; an endless loop?" in (
        said(checkout, "check")
    )


def test_out_holds_in_the_proofs_what_it_holds_in_a_notebook(tmp_path, said):
    source = (
        HEAD
        + """# %%
import weakref
class Tensor: pass
def holders(value): return [f"Out[{n}]" for n, o in Out.items() if o is value]
t = Tensor()
gone = weakref.ref(t)
t.name = "t"
t.__dict__
# %%
print(holders(t.__dict__))
"""
    )
    checkout = project(tmp_path, **{"00_t": source})
    said(checkout, "build", code=0)
    said(checkout, "check", code=0)


def test_a_process_that_dies_is_one_sentence(tmp_path, said):
    checkout = project(
        tmp_path,
        **{"00_t": HEAD + "# %%\nseen.append(1)\nimport os\nif len(seen) == 2: os._exit(3)\n"},
    )
    said(checkout, "build", code=0)
    assert "lessons/00_t.py: each cell twice: the process ended early: it died silently" in said(
        checkout, "check"
    )


IN_SECTION_B = (
    "# %% [markdown]\n# ## A\n# %%\nx = 1\n"
    "# %% [markdown]\n# ## B\n# %%\nimport os, sys, time\nif 'x' not in globals(): {}\n"
)


def test_a_section_that_dies_alone_is_one_sentence(tmp_path, said):
    checkout = project(tmp_path, **{"00_t": HEAD + IN_SECTION_B.format("os._exit(3)")})
    said(checkout, "build", code=0)
    out = said(checkout, "check")
    assert "lessons/00_t.py: section 2 alone: the process ended early" in out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")
def test_a_section_that_never_ends_takes_its_process_along(tmp_path, said, monkeypatch):
    survived = tmp_path / "survived"
    wait = f"time.sleep(15); open({str(survived)!r}, 'w')"
    checkout = project(tmp_path, **{"00_t": HEAD + IN_SECTION_B.format(wait)})
    said(checkout, "build", code=0)
    monkeypatch.setattr("course.build.child.SECONDS", 4)
    assert "lessons/00_t.py: its sections alone: longer than 4 s" in said(checkout, "check")
    assert not survived.exists()
