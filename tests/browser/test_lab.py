"""The lessons in a real JupyterLab: the first one opens by itself, and every one runs through."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.view_moments import check_moments

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
RUN_SECONDS = 120
READY = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-ExecutionIndicator[data-status=idle]"
# What the menu entry "Run All Cells" calls. Its promise ends with the first error, announced or
# not, while the cells behind it go on: one more request, answered in its turn, marks the end.
RUN_ALL = """async seconds => {
  const late = new Promise((_, giveUp) =>
    setTimeout(() => giveUp(new Error("still running")), seconds * 1000));
  const app = window.jupyterapp;
  await app.restored;
  const { content, sessionContext } = app.shell.currentWidget;
  await sessionContext.ready;
  const run = async () => {
    await app.commands.execute("notebook:run-all-cells");
    await sessionContext.session.kernel.requestExecute({ code: "", silent: true }).done;
  };
  await Promise.race([run(), late]);
  return content.model.toJSON().cells;
}"""
CELLS = 'document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer")'
# Whether nothing of the notebook in front has moved or grown for a second.
AT_REST = (
    f"() => {{ const cells = {CELLS};"
    """
  const now = `${cells.scrollTop} ${cells.scrollHeight}`, time = performance.now();
  if (window.lastMoved?.now !== now) window.lastMoved = { now, time };
  return time - window.lastMoved.time > 1000;
}"""
)
INSTEAD = """async path => {
  const { commands, shell } = window.jupyterapp;
  for (const widget of [...shell.widgets("main")]) {
    await widget.sessionContext?.shutdown();
    widget.dispose();
  }
  window.lastMoved = undefined;
  await commands.execute("docmanager:open", { path });
}"""
# Whether all its cells are drawn.
DRAWN = """() => {
  const cells = window.jupyterapp.shell.currentWidget.content.widgets;
  return cells.length && cells.every((cell) => cell.node.isConnected && !cell.isPlaceholder());
}"""


def wait_until_ready(page):
    """What is run before the session is ready, JupyterLab drops without a word."""
    page.wait_for_selector(READY)
    page.evaluate(
        "async () => void await window.jupyterapp.shell.currentWidget.sessionContext.ready"
    )


def open_notebook(page, address, workspace, path):
    """Open a notebook below my/, in a workspace where no other test has left its tabs.

    In a page that has a JupyterLab it takes the place of what stood there, kernels and all.
    """
    url = urlsplit(address)
    if page.evaluate("!window.jupyterapp"):
        page.goto(f"http://{url.netloc}/lab/workspaces/{workspace}/tree/my/{path}?{url.query}")
    else:
        page.evaluate(INSTEAD, f"my/{path}")
    wait_until_ready(page)


def run_all(page):
    """Run every cell, return them, and wait for JupyterLab's last scroll.

    It scrolls to the last cell as soon as that is drawn, on a busy machine seconds after the last
    output, and takes whoever has begun to click along.
    """
    cells = page.evaluate(RUN_ALL, RUN_SECONDS)
    page.wait_for_function(f"() => ({DRAWN})() && ({AT_REST})()")
    return cells


def unexpected(cells):
    """What a learner would stumble over: a cell that did not run, or an error nobody announced."""
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code" or not cell["source"]:
            continue
        if cell["execution_count"] is None:
            yield f"cell {number} did not run"
        if "raises-exception" not in cell["metadata"].get("tags", []):
            for output in cell["outputs"]:
                if output["output_type"] == "error":
                    yield f"cell {number}: {output['ename']}: {output['evalue']}"


def assert_clean(visit):
    assert visit.external == []
    assert visit.errors == []


def test_welcome_opens_first_and_nothing_covers_it(visit, address, screenshots):
    page = visit.page
    page.goto(address)
    wait_until_ready(page)
    page.wait_for_timeout(2000)  # a pop-up would come by itself, a little later
    tab = page.locator("#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current")
    assert tab.all_inner_texts() == ["00_welcome.ipynb"]
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0
    assert not page.locator("#jp-left-stack").is_visible(), "the file browser"
    page.get_by_role("tab", name="Table of Contents").click()
    page.locator(".jp-TableOfContents-content", has_text="Welcome").first.wait_for()
    page.get_by_role("tab", name="Table of Contents").click()
    assert not page.locator("#jp-left-stack").is_visible()
    page.screenshot(path=screenshots / "first_screen.png")
    assert_clean(visit)


@pytest.mark.parametrize("lesson", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_lesson_runs_through_and_its_views_open_well(lab, address, screenshots, lesson):
    page = lab.page
    open_notebook(page, address, lesson.stem, f"notebooks/{lesson.name}")
    cells = page.evaluate(RUN_ALL, RUN_SECONDS)
    page.screenshot(path=screenshots / f"{lesson.stem}.png")
    assert list(unexpected(cells)) == []
    print(check_moments(page, cells), "views open on their telling moment")
    assert_clean(lab)
