"""The view in a real JupyterLab: its bytes are the kernel's, it steps while the kernel is busy,
follows a recording, and leaves a picture in the saved notebook."""

import importlib.util
import json

import nbformat
import pytest

from tests.browser.test_lab import (
    assert_clean,
    open_notebook,
    run_all,
    unexpected,
    wait_until_ready,
)

PYTHON = {"name": "python3", "display_name": "Python 3", "language": "python"}  # or Lab asks
THREAD_003 = """import torch
x = torch.arange(32 * 64.0).view(32, 64)
w = torch.full((64, 32), 0.01, requires_grad=True)
h = x @ w
y = h.tanh()
loss = y.sum()
del h
loss.backward()
loss.backward()"""
# What each event must show: the same program, recorded once more in the same kernel beforehand.
EXPECTED = """import json
from whoholds.step.magic import step
events = step({source!r}, engine={engine!r}).events
print(json.dumps([[e["kind"], e["live"]] for e in events]))"""
TWICE = """import minigrad as mg
import whoholds
from IPython.display import display
from whoholds.views import show

w = mg.ones(4, 4, requires_grad=True)
with whoholds.record() as trace:
    loss = (w * 2.0).tanh().sum()
    loss.backward()
view = show(trace)
display(view)
display(view)"""
LIVE = """import time
from pathlib import Path
import minigrad as mg
import whoholds
from IPython.display import display
from whoholds.views import show

w = mg.ones(4, 4, requires_grad=True)
with whoholds.record() as trace:
    view = show(trace, title="live")
    display(view)
    turns = 0
    while turns < 200 or not Path("go").exists():
        (w * 2.0).tanh().sum().backward()
        turns += 1
        time.sleep(0.01)
print(len(trace))"""
BUSY = "import time\nwhile True: time.sleep(0.01)"
START = """async () => {
  await window.jupyterapp.restored;
  await window.jupyterapp.shell.currentWidget.sessionContext.ready;
  void window.jupyterapp.commands.execute("notebook:run-all-cells");
}"""
KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
CELLS = "window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
CONTEXT = "window.jupyterapp.shell.currentWidget.context"


@pytest.fixture
def opened(lab, address, project):
    """Open a notebook of these cells, all of them run; gives the page and its cells."""

    def open_it(name, *sources):
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": PYTHON})
        nbformat.write(notebook, project / f"my/{name}.ipynb")
        open_notebook(lab.page, address, "views", f"{name}.ipynb")
        return lab.page

    yield open_it
    assert_clean(lab)


def run_clean(page):
    cells = run_all(page)
    assert list(unexpected(cells)) == []
    return cells


def printed(cell):
    return "".join(out["text"] for out in cell["outputs"] if out["output_type"] == "stream")


def live(page):
    return int(page.locator(".mg-count").first.get_attribute("data-live"))


def shot(page, folder, name):
    page.locator(".mg-view").first.screenshot(path=folder / f"{name}.png")


def walk(page, events):
    """Step over every event with the keyboard; the bytes and chips seen after each."""
    view = page.locator(".mg-view")
    view.locator(".mg-mode").select_option("all")
    view.focus()
    page.keyboard.press("Home")
    for _ in events:
        page.keyboard.press("ArrowRight")
        chips = [page.locator(f".mg-chip.{what}").count() for what in ("held", "freed")]
        yield live(page), chips, page.locator(".mg-error").text_content()


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_from_saved_to_freed_to_the_error(opened, screenshots, engine):
    if engine == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    magic = f"%%step --engine {engine}\n{THREAD_003}"
    page = opened(
        f"step_{engine}",
        "import whoholds.step",
        EXPECTED.format(source=THREAD_003, engine=engine),
        magic,
    )
    cells = run_clean(page)
    events = json.loads(printed(cells[1]))
    assert "lost what it had saved" in printed(cells[2]), "the error is also said in words"
    page.locator(".mg-view").wait_for()
    shot(page, screenshots, f"lab_{engine}_start")
    found = list(walk(page, events))
    assert [bytes for bytes, _, _ in found] == [bytes for _, bytes in events]
    kinds = [kind for kind, _ in events]
    save, free, error = kinds.index("save"), kinds.index("free"), kinds.index("error")
    assert save < free < error
    assert found[save][1] == [1, 0] and found[free][1][1] > 0
    assert "second time" in found[error][2] and found[free][2] == ""
    shot(page, screenshots, f"lab_{engine}_end")


def test_stepping_while_the_kernel_is_busy_and_after_it_was_restarted(opened, screenshots):
    page = opened("twice", TWICE)
    run_clean(page)
    page.wait_for_function("document.querySelectorAll('.mg-view').length === 2")
    page.evaluate(f"code => {{ void {KERNEL}.requestExecute({{ code }}); }}", BUSY)
    page.wait_for_function(f"{KERNEL}.status === 'busy'")
    page.locator(".mg-view").first.focus()
    page.keyboard.press("Home")
    before = live(page)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    counts = page.locator(".mg-count").all_text_contents()
    assert live(page) > before and counts[0] == counts[1], "two views of one model"
    assert page.evaluate(f"{KERNEL}.status") == "busy"
    page.evaluate(f"{KERNEL}.interrupt()")
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    page.evaluate(f"{KERNEL}.restart()")
    page.wait_for_function(f"{KERNEL}.status === 'idle'")
    page.keyboard.press("End")
    assert page.locator(".mg-range").first.input_value() == page.locator(
        ".mg-range"
    ).first.get_attribute("max"), "what was shown can still be stepped through"


def test_a_saved_notebook_shows_pictures_where_no_kernel_is(opened, project, screenshots):
    page = opened("saved", TWICE)
    run_clean(page)
    page.locator(".mg-view").first.wait_for()
    page.evaluate(f"{CONTEXT}.save()")
    notebook = json.loads((project / "my/saved.ipynb").read_text("utf-8"))
    assert "widgets" not in notebook["metadata"]
    kinds = [set(output["data"]) for output in notebook["cells"][0]["outputs"]]
    assert kinds == [{"text/plain", "image/png"}] * 2
    page.evaluate(f"{KERNEL}.shutdown()")
    page.reload()
    wait_until_ready(page)
    page.locator(".jp-OutputArea img").first.wait_for()
    assert page.locator(".mg-view").count() == 0
    assert "Error displaying" not in page.locator(".jp-Notebook").inner_text()
    page.screenshot(path=screenshots / "lab_saved.png")


def test_the_dark_theme_is_followed(opened, screenshots):
    page = opened("dark", TWICE)
    run_clean(page)
    view = page.locator(".mg-view").first
    view.wait_for()
    colour = r"e => getComputedStyle(e).backgroundColor.match(/\d+/g).reduce((a, b) => +a + +b)"
    assert view.evaluate(colour) > 600
    dark = dict(theme="JupyterLab Dark")
    page.evaluate("it => window.jupyterapp.commands.execute('apputils:change-theme', it)", dark)
    page.wait_for_function(f"({colour})(document.querySelector('.mg-view')) < 200")
    shot(page, screenshots, "lab_dark")
    light = dict(theme="JupyterLab Light")  # the setting outlives this test
    page.evaluate("it => window.jupyterapp.commands.execute('apputils:change-theme', it)", light)


def test_the_plot_follows_the_running_cell(opened, project, screenshots):
    page = opened("live", LIVE)
    page.evaluate(START)
    page.wait_for_function("parseInt(document.querySelector('.mg-count')?.textContent) > 300")
    assert page.evaluate(CELLS)[0]["execution_count"] is None, "still running"
    assert page.locator(".mg-view.live .mg-area").count() > 1
    assert not page.locator(".mg-body").is_visible()
    shot(page, screenshots, "lab_live")
    (project / "my/go").touch()
    page.wait_for_function(f"{CELLS}[0].execution_count !== null")
    page.locator(".mg-view:not(.live) .mg-body").wait_for()
    cells = page.evaluate(CELLS)
    assert int(printed(cells[0])) > 2000 and page.locator(".mg-view").count() == 1
    assert page.locator(".mg-range").get_attribute("max") == printed(cells[0]).strip()
    page.locator(".mg-view").focus()
    page.keyboard.press("Home")
    assert live(page) == 0
    data = cells[0]["outputs"][0]["data"]
    assert "saves result (64 B) x" in data["text/plain"], (
        "the table of the whole, not of its beginning"
    )
    shot(page, screenshots, "lab_live_after")
