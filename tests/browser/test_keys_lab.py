"""A lesson by the keyboard alone, in a real JupyterLab: Shift+Enter goes on, and no key that is
pressed in a card, a view or a game reaches the notebook."""

import json
import random

import pytest

from tests.browser.test_lab import assert_clean, open_notebook, run_all

LETTERS = "abcxmyzd" + "ABC"  # what JupyterLab's command mode acts on, and the options of a card
CONTENT = "window.jupyterapp.shell.currentWidget.content"
SOURCES = f"{CONTENT}.model.toJSON().cells.map(cell => cell.source)"
FOLDED = f"{CONTENT}.widgets.filter(cell => cell.inputHidden).length"
# Where the keys go: a cell's number, and what in it has the focus.
WHERE = """() => {
  const { content } = window.jupyterapp.shell.currentWidget, on = document.activeElement;
  const cell = on.classList.contains("jp-Cell") ? "cell" : on.tagName;
  return [content.activeCellIndex, on.closest("[data-mg-keys]") ? "widget" : cell];
}"""
# JupyterLab turns a key into a command some time after the key: how many it has begun and ended.
COUNT_COMMANDS = """() => {
  if (window.begun !== undefined) return;
  window.begun = window.ended = 0;
  window.jupyterapp.commands.commandExecuted.connect((_, { result }) => {
    window.begun += 1;
    result.finally(() => { window.ended += 1; });
  });
}"""
# All that was asked for, `begun` commands at least, has run, and what it has shown is drawn.
SETTLED = """begun => {
  const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
  const waits = content.widgets.some(cell => cell.promptNode?.textContent.includes("*"));
  const widgets = [...document.querySelectorAll("[data-mime-type*=widget-view]")];
  return window.begun >= begun && window.ended === window.begun
    && sessionContext.kernelDisplayStatus === "idle" && !waits
    && widgets.every(output => output.querySelector("[data-mg-keys]"));
}"""
TWO_FRAMES = "() => new Promise(on => requestAnimationFrame(() => requestAnimationFrame(on)))"
ACTIVATE = f"index => {{ {CONTENT}.activeCellIndex = index; {CONTENT}.activeCell.node.focus(); }}"


# Of the widget that has the keys, or of its cards and arrows: how far its head is below the
# notebook's, how far its foot below the notebook's, and how much higher than the notebook it is.
SIGHT = """what => {
  const root = document.activeElement.closest("[data-mg-keys]");
  if (!root) return null;
  const pane = root.closest(".jp-WindowedPanel-outer").getBoundingClientRect();
  const { top, bottom, height } = (root.querySelector(what) ?? root).getBoundingClientRect();
  return [top - pane.top, bottom - pane.bottom, height - pane.height];
}"""
STEPS = ".mg-view:not(.mg-play):focus"  # a view that the keys step
SETTLES = 1500  # ms: JupyterLab scrolls once more when it has measured what is new


@pytest.fixture
def lesson(lab, address, project):
    """Open a lesson; its first cell has the focus, and nothing is on record."""
    record = project / "my/progress.json"

    def open_it(name, index=0):
        record.unlink(missing_ok=True)
        open_notebook(lab.page, address, "keys", f"notebooks/{name}.ipynb")
        lab.page.evaluate(COUNT_COMMANDS)
        lab.page.evaluate(ACTIVATE, index)
        return lab.page

    yield open_it
    # The next test's cards are its own, not those of a kernel that is still there.
    lab.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    record.unlink(missing_ok=True)
    assert_clean(lab)


def where(page):
    return tuple(page.evaluate(WHERE))


def press(page, *keys):
    for key in keys:
        runs = key == "Shift+Enter" and where(page)[1] == "cell"
        begun = page.evaluate("window.begun") + runs
        page.keyboard.press(key)
        page.wait_for_function(SETTLED, arg=begun)
    page.evaluate(TWO_FRAMES)  # a widget that is drawn takes the keys in the next one


def until_a_card(page, presses=10):
    """Shift+Enter till a card has the keys; the number of its cell."""
    for _ in range(presses):
        press(page, "Shift+Enter")
        if card(page).count():
            return where(page)[0]
    raise AssertionError(f"no card has the keys after {presses} times Shift+Enter")


def card(page):
    """The card that has the keys."""
    return page.locator(".mgp-card:focus-within")


@pytest.mark.parametrize("name", ["00_welcome", "03_walking_back"])
def test_a_lesson_gone_through_by_shift_enter_and_letters_stays_as_it_was(lesson, name):
    page, seed = lesson(name), random.randrange(10**6)
    print("seed", seed)
    draw = random.Random(seed)
    sources, folded = page.evaluate(SOURCES), page.evaluate(FOLDED)
    widgets = presses = 0
    while where(page)[0] < len(sources) - 1:
        presses += 1
        assert presses < 5 * len(sources), f"stuck at {where(page)}"
        if where(page)[1] == "widget":
            widgets += 1
            press(page, *draw.choices(LETTERS, k=draw.randrange(4)))
        press(page, "Shift+Enter")
        assert page.evaluate(SOURCES) == sources and page.evaluate(FOLDED) == folded, where(page)
    assert widgets >= page.locator("[data-mg-keys]").count() > 5, "each had the keys"


def out_of_sight(page, what):
    """How many pixels are, of what would fit; of what does not, how far its head is not on top."""
    head, foot, over = page.evaluate(SIGHT, what)
    return max(-head, foot, 0) if over <= 0 else abs(head)


@pytest.mark.parametrize("height", [800, 1000])
@pytest.mark.parametrize("name", ["00_welcome", "05_second_time"])
def test_what_takes_the_keys_is_in_sight_and_stands_still_while_they_step(lesson, name, height):
    page, seen, stepped = lesson(name), {}, 0
    page.set_viewport_size({"width": 1280, "height": height})
    for _ in range(28):
        press(page, "Shift+Enter")
        if not page.evaluate(SIGHT, "self"):
            continue
        page.wait_for_timeout(SETTLES)
        at, tall = where(page)[0], page.evaluate(SIGHT, "self")[2] > 0
        part = ".mg-lanes" if tall else "self"
        seen[at] = [out_of_sight(page, part)]
        if page.locator(STEPS).count():
            stepped += 1
            before = page.evaluate(SIGHT, "self")[0]
            press(page, "Home", *["ArrowRight"] * 12)
            assert page.evaluate(SIGHT, "self")[0] == before, "no jump"
            seen[at].append(out_of_sight(page, ".mg-lanes"))
    assert len(seen) >= 3 and stepped
    assert {at: one for at, one in seen.items() if max(one) > 1} == {}


def test_shift_enter_goes_on_from_a_locked_card_and_a_second_run_shows_the_answer(
    lesson, project, screenshots
):
    page = lesson("00_welcome")
    at = until_a_card(page)
    assert card(page).get_by_text("Keys A to D choose").is_visible()
    press(page, "b", "Enter")
    answer = page.get_by_text("The run says otherwise: D. 8,192 B and 0 B.").first
    answer.wait_for()
    assert card(page).get_by_text("Shift+Enter goes on.").is_visible()
    count = f"{CONTENT}.widgets[{at}].model.executionCount"
    before = page.evaluate(count)
    press(page, "Shift+Enter")
    assert where(page) == (at + 1, "cell") and page.evaluate(count) == before
    assert answer.is_visible()
    assert not page.get_by_text("Keys A to D choose").first.is_visible(), "they are the notebook's"
    page.evaluate(ACTIVATE, at)
    press(page, "Shift+Enter")
    assert page.evaluate(count) > before and where(page) == (at, "widget")
    card(page).get_by_text("You answered this in an earlier run").wait_for()
    assert card(page).locator("input:checked").get_attribute("value") == "1"
    card(page).screenshot(path=screenshots / "card_again.png")
    anew(page, project)


def anew(page, project):
    """From a card that shows its first answer, by keys alone to another one."""
    press(page, "Tab", "Tab")
    assert page.evaluate("document.activeElement.textContent") == "Answer again"
    press(page, "Enter")
    assert card(page).locator("input:checked").count() == 0
    assert not card(page).get_by_text("The run says").is_visible()
    press(page, "d", "Shift+Enter")
    card(page).get_by_text("Right: D. 8,192 B and 0 B.").wait_for()
    noted = json.loads((project / "my/progress.json").read_text("utf-8"))["predictions"]
    assert noted["00.dels"] == {"outcome": "wrong", "choice": "0 B and 0 B", "times": 2}


def test_a_click_on_a_folded_card_s_row_opens_nothing(lesson):
    page = lesson("00_welcome")
    row = page.locator(".jp-InputPlaceholder").first
    row.scroll_into_view_if_needed()
    folded, box = page.evaluate(FOLDED), row.bounding_box()
    assert folded > 4
    for x in range(-20, int(box["width"]), 40):
        page.mouse.click(box["x"] + x, box["y"] + box["height"] / 2)
        assert page.evaluate(FOLDED) == folded, f"opened by a click at {x}"
    first = page.evaluate(f"{CONTENT}.widgets.findIndex(cell => cell.inputHidden)")
    assert where(page) == (first, "cell"), "it is selected, ready to be run"


def test_run_all_leaves_the_keys_with_the_notebook(lesson):
    page = lesson("00_welcome")
    run_all(page)
    page.wait_for_function(SETTLED, arg=0)
    assert page.locator(".mgp-card").count() == 11 and where(page)[1] == "cell"


@pytest.mark.parametrize("kind", [".mg-view:not(.mg-play)", ".mg-play"])
def test_a_clicked_view_or_game_lets_shift_enter_through(lesson, kind):
    page = lesson("03_walking_back")
    run_all(page)
    found = page.locator(kind).first
    found.wait_for()
    found.locator("svg").first.click()
    at, who = where(page)
    assert who == "widget"
    sources = page.evaluate(SOURCES)
    press(page, *"baxmyz")
    press(page, "Shift+Enter")
    assert where(page) == (at + 1, "cell") and page.evaluate(SOURCES) == sources
