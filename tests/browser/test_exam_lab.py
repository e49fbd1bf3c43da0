"""The exam in a real JupyterLab: Run All reveals nothing, and a locked card of form B counts."""

import json

import pytest

from tests.browser.test_lab import assert_clean, open_notebook, run_all

WHYS = "no graph was walked", "Ten rows hold ten batches", "an operation makes new bytes"
LAST_CODE = """async () => {
  const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
  const cells = content.model.toJSON().cells;
  content.activeCellIndex = cells.findLastIndex(cell => cell.cell_type === "code");
  await window.jupyterapp.commands.execute("notebook:run-cell");
  return content.model.toJSON().cells[content.activeCellIndex].outputs.at(-1).data["text/plain"];
}"""


@pytest.fixture
def taken(lab, address, project):
    page = lab.page
    open_notebook(page, address, "exam", "notebooks/16_exam.ipynb")
    run_all(page)
    yield page
    (project / "my/progress.json").unlink()  # the lab is shared: another test starts with none
    assert_clean(lab)


def test_nothing_shows_before_a_choice_is_locked(taken, project, screenshots):
    page, cards = taken, taken.locator(".mgp-card")
    assert cards.count() == 23 and page.locator(".mgp-figure svg").count() == 8
    assert page.locator(".mgp-result:not(:empty)").count() == 0
    assert not any(why in page.content() for why in WHYS)
    assert "Form B is still open" in page.evaluate(LAST_CODE)
    first, ten = cards.first, cards.filter(has_text="form B")
    assert ten.count() == 10
    for card, key in ((first, "a"), (ten.first, "b")):
        card.get_by_role("radio").first.focus()
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        card.locator(".mgp-headline").wait_for()
    first.screenshot(path=screenshots / "exam_card.png")
    found = json.loads((project / "my/progress.json").read_text())["predictions"]
    assert found["16.c1"]["outcome"] == "wrong"
    assert found["16.b1"] == {"choice": "2", "form": "B", "outcome": "right", "times": 1}
    assert "Form B: 1 of 1 right." in page.evaluate(LAST_CODE)
