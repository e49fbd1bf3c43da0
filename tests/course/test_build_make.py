"""Building: executed, byte-stable, and nothing half-made when something breaks."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from build_project import TWIN_LESSON, engines, project, text

from course.build.__main__ import main
from course.build.products import language_info

LESSON = """
# %% [markdown]
# # 00  Trial
# Words.

# %%
import sys
import warnings

# %% [markdown]
# ## Outputs

# %%
print("out", object())
print("err", file=sys.stderr)
{"value": 1}

# %% raises="ValueError"
def inner():
    error = ValueError("wrong")
    error.add_note("a note")
    raise error

inner()

# %% measured="an address"
id(sys)

# %%
import os
print(os.environ["MINIGRAD_REVEAL"], os.environ["PYTHONHASHSEED"], os.getcwd() == PLACE)
warnings.warn("look")

# %% [markdown] card="one"
# ### One
# Write 1.

# %% exercise="one" difficulty=1 minutes=2
def one():
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION

# %% check="one"
one()
"""
PICTURE = """
# %% [markdown]
# # 01  Picture

# %%
import matplotlib.pyplot as plt

# %%
plt.plot([1, 2])
plt.show()
"""


def read(checkout, path):
    return json.loads((checkout.root / path).read_text())


def files(checkout):
    found = (
        path for path in checkout.root.rglob("*") if path.suffix in (".ipynb", ".tmp", ".json")
    )
    return {path.relative_to(checkout.root).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkout")
    checkout = project(
        root,
        **{
            "00_trial": LESSON.replace("PLACE", repr(str(root))),
            "01_picture": PICTURE,
            "02_graphs": TWIN_LESSON,
        },
    )
    engines(root)
    sys.path.insert(0, str(root))
    try:
        assert main("build", checkout) == 0
        first = files(checkout)
        assert main("build", checkout) == 0
    finally:
        sys.path.remove(str(root))
    return checkout, first


def test_two_builds_give_the_same_bytes(built):
    checkout, first = built
    assert files(checkout) == first
    assert sorted(first) == [
        "exercises/00_trial.ipynb",
        "lessons/golden/02.json",
        "notebooks/00_trial.ipynb",
        "notebooks/01_picture.ipynb",
        "notebooks/02_graphs.ipynb",
        "solutions/00_trial.ipynb",
    ]


def test_cells_ran_in_order_and_stored_what_is_stable(built):
    cells = [
        cell
        for cell in read(built[0], "notebooks/00_trial.ipynb")["cells"]
        if cell["cell_type"] == "code"
    ]
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4, 5]
    out, err, value = cells[1]["outputs"]
    assert out["text"] == ["out <object object at 0x...>\n"] and err["text"] == ["err\n"]
    assert value["data"]["text/plain"] == ["{'value': 1}"]
    assert cells[3]["outputs"] == [] and cells[3]["metadata"]["tags"] == ["nbval-ignore-output"]
    assert cells[4]["outputs"][0]["text"] == ["1 0 True\n"]
    assert cells[4]["outputs"][1]["text"][0] == "<cell>:3: UserWarning: look\n"


def test_a_stored_error_has_a_short_traceback_with_its_notes(built):
    cell = read(built[0], "notebooks/00_trial.ipynb")["cells"][4]
    error = cell["outputs"][0]
    assert (error["ename"], error["evalue"]) == ("ValueError", "wrong")
    assert error["traceback"] == [
        "Cell In[3], line 6",
        "----> 6 inner()",
        "Cell In[3], line 4",
        "----> 4     raise error",
        "",
        "ValueError: wrong\na note",
    ]


def test_the_kernel_says_what_language_info_says(built):
    script = "import nbformat, nbclient; n = nbformat.v4.new_notebook(); n = nbclient.execute(n)"
    script += "; import json; print(json.dumps(n.metadata.language_info))"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert json.loads(said.stdout) == language_info()


def test_exercises_have_no_outputs_and_solutions_do(built):
    exercise = read(built[0], "exercises/00_trial.ipynb")["cells"]
    assert all(not cell.get("outputs") for cell in exercise)
    assert read(built[0], "solutions/00_trial.ipynb")["cells"][-2]["outputs"][0]["data"] == {
        "text/plain": ["1"]
    }


def test_pictures_are_kept(built):
    output = read(built[0], "notebooks/01_picture.ipynb")["cells"][-2]["outputs"][0]
    assert len(output["data"]["image/png"]) > 1000 and output["metadata"] == {}


def test_what_torch_prints_is_recorded(built):
    golden = read(built[0], "lessons/golden/02.json")
    assert [cell["prints"] for cell in golden["cells"]] == [
        [],
        [["stdout", "<class 'torch.Tensor'>\n"], ["text", "tensor(3)"]],
        [["error", "RuntimeError: Trying to backward a second time; see torch.autograd"]],
    ]


BROKEN = {
    "unexpected": (
        "# %% [markdown]\n# # 00  T\n# %%\n1\n# %%\n1 / 0\n",
        "lessons/00_t.py:5: the cell ended in ZeroDivisionError: division by zero",
    ),
    "no error": (
        '# %% [markdown]\n# # 00  T\n# %%\n1\n# %% raises="KeyError"\n1\n',
        "lessons/00_t.py:5: the cell must end in KeyError, but it ended without an error",
    ),
    "other error": (
        '# %% [markdown]\n# # 00  T\n# %%\n1\n# %% raises="KeyError"\n1 / 0\n',
        "lessons/00_t.py:5: the cell must end in KeyError, but it ended in Zero",
    ),
    "dies": (
        "# %% [markdown]\n# # 00  T\n# %%\n1\n# %%\nimport os\nos._exit(3)\n",
        "lessons/00_t.py:5: the kernel died in this cell",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_cell_that_breaks_its_word_is_named_and_nothing_is_written(tmp_path, capsys, case):
    source, sentence = BROKEN[case]
    checkout = project(tmp_path, **{"00_t": source})
    assert main("build", checkout) == 1
    assert sentence in capsys.readouterr().out
    assert files(checkout) == {}


def test_the_users_own_start_up_files_are_not_run(tmp_path, monkeypatch):
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "mine.py").write_text("leak = 1\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    source = '# %% [markdown]\n# # 00  T\n# %%\n"leak" in globals()\n'
    checkout = project(tmp_path, **{"00_t": source})
    assert main("build", checkout) == 0
    output = read(checkout, "notebooks/00_t.ipynb")["cells"][1]["outputs"][0]
    assert output["data"]["text/plain"] == ["False"]


def test_an_endless_cell_is_stopped(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("course.build.execute.SECONDS_PER_CELL", 1)
    checkout = project(tmp_path, **{"00_t": "# %% [markdown]\n# # 00  T\n# %%\nwhile 1: pass\n"})
    assert main("build", checkout) == 1
    assert "lessons/00_t.py:3: the cell ran longer than 1 s" in capsys.readouterr().out


def test_a_broken_source_stops_all_before_anything_is_run(tmp_path, capsys):
    good = "# %% [markdown]\n# # 00  T\n# %%\n1\n"
    checkout = project(
        tmp_path,
        **{"00_t": good, "01_u": good.replace("00", "01").replace("# %%\n", "# %% twim=true\n")},
    )
    assert main("build", checkout) == 2
    assert capsys.readouterr().err.startswith(
        "lessons/01_u.py:3: unknown key 'twim'; known keys: at, card, check, "
    )
    assert files(checkout) == {}
    assert main("build", checkout, lessons=["0"]) == 0, "a broken neighbour is no reason to stop"
    assert list(files(checkout)) == ["notebooks/00_t.ipynb"]


def test_ids_are_unique_over_all_lessons(tmp_path, capsys):
    source = '# %% [markdown]\n# # 00  T\n# %% at="x"\n1\n'
    checkout = project(tmp_path, **{"00_t": source, "01_u": source.replace("00", "01")})
    assert main("build", checkout) == 2
    assert "lessons/01_u.py:3: the id 'x' is taken by lessons/00_t.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    "number, sentence",
    [
        ("7", "there is no lesson '07'; the lessons are 00"),
        ("graphs", "there is no lesson 'graphs'; the lessons are 00"),
    ],
)
def test_unknown_lessons(tmp_path, capsys, number, sentence):
    checkout = project(tmp_path, **{"00_t": "# %%\n1"})
    assert main("check", checkout, lessons=[number]) == 2
    assert sentence in capsys.readouterr().err


def test_no_lessons_and_two_with_one_number(tmp_path, capsys):
    checkout = project(tmp_path)
    assert main("build", checkout) == 2
    assert "add lessons/NN_topic.py" in capsys.readouterr().err
    for name in ("00_a", "00_b"):
        (tmp_path / "lessons" / f"{name}.py").write_text("# %% [markdown]\n# # 00  T\n# %%\n1\n")
    assert main("build", checkout) == 2
    assert "00_b.py: the number 00 is taken by 00_a.py" in capsys.readouterr().err


def test_stale_files_are_removed_and_other_files_are_not(tmp_path, capsys):
    checkout = project(tmp_path, **{"00_t": "# %% [markdown]\n# # 00  T\n# %%\n1\n"})
    keep = ["notebooks/mine.ipynb", "notebooks/notes.md", "solutions/readme.ipynb"]
    stale = [
        "notebooks/07_gone.ipynb",
        "exercises/00_t.ipynb",
        "lessons/golden/00.json",
        "notebooks/.07_gone.ipynb.tmp",
    ]
    for name in keep + stale:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert main("build", checkout, lessons=["00"]) == 0
    said = capsys.readouterr().out
    assert all(f"removed {name}: no source gives it" in said for name in stale)
    assert all((tmp_path / name).exists() for name in keep)
    assert not any((tmp_path / name).exists() for name in stale)


def test_ctrl_c_ends_the_kernels_and_writes_nothing(tmp_path):
    mark = tmp_path / "running"
    source = f"""
    # %% [markdown]
    # # 00  T
    # %%
    import os, time
    open({str(mark)!r}, "w").write(str(os.getpid()))
    while True: time.sleep(0.1)
    """
    checkout = project(tmp_path, **{"00_t": text(source), "01_u": text(source).replace("00", "01")})
    code = (
        "import sys, pathlib; from course.build.__main__ import main; from course.build.project "
        "import Project; sys.exit(main('build', Project(pathlib.Path(sys.argv[1]))))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (mark.exists() and mark.read_text()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "Stopped. What was not finished was not written.\n"
    assert files(checkout) == {}
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
