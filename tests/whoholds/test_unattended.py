"""A notebook that nbconvert runs shows pictures; one that a page runs keeps its widgets."""

import os
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbconvert import HTMLExporter

from whoholds import unattended

RUNS = """from whoholds.views import show
from whoholds.step import step
source = "w = mg.ones(4, requires_grad=True)\\ny = w.exp().sum()\\ny.backward()"
import minigrad as mg
trace = step(source, namespace={"mg": mg})"""
VIEW = "show(trace)"
LONG = """import whoholds
with whoholds.record() as long:
    for _ in range(60):
        (mg.ones(4, requires_grad=True) * 2.0).sum().backward()
assert len(long) > 300
show(long)"""
STEP = """%load_ext whoholds.step
import whoholds.step"""
STEPPED = """%%step
a = mg.ones(2, requires_grad=True)
b = a * a"""
GAME = """from course.play import play
play(trace)"""
CARD = """from course.predict import predict
predict("99.x", "How many?", {"one": "because", "two": "no"}, run=lambda: "one")"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook that `nbconvert --execute` writes."""
    folder = tmp_path_factory.mktemp("nbconvert")
    cells = [nbformat.v4.new_code_cell(s) for s in (RUNS, VIEW, LONG, STEP, STEPPED, GAME, CARD)]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    source = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(source, folder / "source.ipynb")
    command = "nbconvert --execute --to notebook --output done.ipynb source.ipynb".split()
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return nbformat.read(folder / "done.ipynb", as_version=4)


def environment():
    """As a reader has it: the build's own variable would draw every picture anyway."""
    root = unattended.__file__.rpartition("whoholds")[0]
    kept = {k: v for k, v in os.environ.items() if k != "MINIGRAD_REVEAL"}
    return {**kept, "PYTHONPATH": root}


def test_the_page_shows_a_picture_of_each_view_and_game(executed):
    page, _ = HTMLExporter().from_notebook_node(executed)
    assert page.count('src="data:image/png;base64,') == 4
    assert '<script type="application/vnd.jupyter.widget-view+json">' not in page


def test_each_output_has_a_stand_in_and_no_widget(executed):
    """So it also shows where it is not trusted, and no widget is drawn."""
    kinds = [set(out["data"]) for cell in executed.cells for out in cell.outputs if "data" in out]
    picture = {"text/plain", "image/png"}
    assert kinds == [picture, picture, picture, picture, {"text/plain", "text/html"}]


def shell(monkeypatch, history, metadata):
    """IPython as a kernel has it; the test's own variable away."""
    kernel = SimpleNamespace(get_parent=lambda channel: {"metadata": metadata})
    manager = SimpleNamespace(hist_file=history)
    found = SimpleNamespace(kernel=kernel, history_manager=manager)
    monkeypatch.setattr("IPython.get_ipython", lambda: found)
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)


@pytest.mark.parametrize(
    "history, metadata, alone",
    [
        (":memory:", {}, True),  # nbclient
        ("/home/me/history.sqlite", {"cellId": "a1"}, False),  # JupyterLab
        ("/home/me/history.sqlite", {}, False),  # a page that names no cells
        (":memory:", {"cellId": "a1"}, False),  # JupyterLab, set up without a history
    ],
)
def test_only_nbclient_runs_for_a_file(monkeypatch, history, metadata, alone):
    shell(monkeypatch, history, metadata)
    assert unattended.run_by_nbclient() is unattended.unattended() is alone
    data = {unattended.WIDGET: {}, "text/plain": "x"}
    assert (unattended.WIDGET in unattended.without_widget(data)) is not alone


def test_outside_of_a_kernel_nobody_is_missed(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    monkeypatch.setattr("IPython.get_ipython", lambda: None)
    assert not unattended.unattended()
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert unattended.unattended() and not unattended.run_by_nbclient()
