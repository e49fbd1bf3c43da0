"""A learner's exercise in a real JupyterLab: fail, read the card, open a hint, mend it, pass."""

import json

import pytest

from tests.browser.test_lab import assert_clean, open_notebook, run_all

WRITE = """async ([id, source]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const place = role => content.model.toJSON().cells.findIndex(cell =>
    (cell.metadata.minigrad || {}).exercise === id && cell.metadata.minigrad.role === role);
  const answer = place("answer");
  if (source) content.widgets[answer].model.sharedModel.setSource(source);
  for (const index of [answer, place("check")]) {
    content.activeCellIndex = index;
    await window.jupyterapp.commands.execute("notebook:run-cell");
  }
  content.widgets[place("check")].node.scrollIntoView();
  return content.model.toJSON().cells[place("check")].outputs;
}"""
DELETE = """async id => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const cells = () => content.model.toJSON().cells;
  const before = cells().length;
  content.activeCellIndex = cells().findIndex(cell =>
    (cell.metadata.minigrad || {}).exercise === id && cell.metadata.minigrad.role === "check");
  await window.jupyterapp.commands.execute("notebook:delete-cell");
  return cells().length - before;
}"""
WRONG = """def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    spare = [y.detach().clone() for _ in range(4)]
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
"""
RIGHT = """def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
"""


@pytest.fixture
def exercises(lab, address, project):
    open_notebook(lab.page, address, "exercise", "exercises/04_which_is_freed.ipynb")
    yield lab.page
    (project / "my/progress.json").unlink(missing_ok=True)
    assert_clean(lab)


def recorded(project):
    return json.loads((project / "my/progress.json").read_text())["exercises"]


def text(outputs):
    return "\n".join("".join(o.get("data", {}).get("text/plain", "")) for o in outputs)


def test_a_blank_notebook_runs_to_its_end_and_says_what_is_missing(exercises, project):
    run_all(exercises)
    exercises.get_by_text("graph_report: not written yet").first.wait_for()
    assert exercises.locator(".jp-RenderedText[data-mime-type*=stderr]").count() == 0
    assert recorded(project) == {"forgetful_step": False}  # the one with a stub that runs


def test_fail_hint_mend_pass(exercises, project, screenshots):
    page = exercises
    run_all(page)
    shown = page.evaluate(WRITE, ["forgetful_step", WRONG])
    assert "3 of 4 cases, 4 of 5 points" in text(shown) and "Hint: " in text(shown)
    assert any("image/png" in output.get("data", {}) for output in shown)  # both curves
    page.screenshot(path=screenshots / "exercise_failed.png")
    ladder = page.locator("details").filter(has_text="Hint 1").nth(1)
    ladder.locator("summary").first.click()
    assert ladder.get_by_text("The names `y`").or_(ladder.get_by_text("end with the call")).count()
    shown = page.evaluate(WRITE, ["forgetful_step", RIGHT])
    assert "every case passed, 5 of 5 points" in text(shown)
    link = page.locator('a[href*="solutions"]').first
    assert link.count() == 1
    page.screenshot(path=screenshots / "exercise_passed.png")
    assert recorded(project)["forgetful_step"] is True


def test_the_check_cannot_be_deleted(exercises):
    assert exercises.evaluate(DELETE, "forgetful_step") == 0
