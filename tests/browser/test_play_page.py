"""The game on a bare page whose kernel is the real Python: clicks, keys, errors, and the way back.

Then in a real JupyterLab, where a click goes to a real kernel and the answer comes back.
"""

import pytest

from course.play.widget import SILENT
from minigrad.core.messages import BACKWARD_TWICE
from tests.browser.test_lab import assert_clean, open_notebook, run_all
from tests.course.test_play import CHAIN, DIAMOND, TWICE
from whoholds.events import shown
from whoholds.views.look import size_text


def test_a_whole_game_by_clicks(table):
    game = table(TWICE, title="Twice")
    assert game.said.startswith("Line 9 calls backward")
    game.perfect()
    assert game.game.over and game.game.curve == [shown(e) for e in game.game.events]
    assert "Backward is over. Your peak is" in game.said and "No mistakes" in game.said
    assert game.page.locator(".mgg-engine").count() == 1
    assert game.page.locator(".mgg-chips .mg-chip.held").count() == 0


def test_the_cards_show_what_the_game_says(table):
    game = table(TWICE)
    while not game.game.over:
        game.perfect(until=game.game.ran + 1)
        now = game.widget.now
        count = game.page.locator(".mg-storage").count()
        assert count == len(now["state"]["storages"])
        assert game.meter() == now["meter"]
        held = [row["key"] for row in now["items"] if row["held"]]
        found = game.page.locator(".mg-chip.held").evaluate_all(
            "all => all.map(e => e.dataset.key)"
        )
        assert sorted(found) == sorted(held)


def test_a_wrong_node_is_refused_with_a_reason_and_nothing_is_lost(table):
    game = table(DIAMOND)
    before = game.meter()
    neg = next(n for n, (name, _) in game.game.labels.items() if name == "NegBackward0")
    game.click(neg)
    assert "has no gradient yet: AddBackward0 of line 7 has not run." in game.said
    assert game.page.locator(".mgg-score").inner_text() == "1 mistake"
    assert game.meter() == before and not game.page.get_by_role("alert").is_visible()
    game.perfect()
    assert "1 mistake." in game.said


def test_a_chip_dropped_too_early_ends_in_the_error_and_back_mends_it(table):
    game = table(TWICE)
    tanh = game.game.visits[1].node
    game.perfect(until=2)
    game.click(f"{tanh}:0")
    chip = game.page.locator(f'[data-key="{tanh}:0"]')
    assert "freed" in chip.get_attribute("class") and "dropped" in chip.get_attribute("aria-label")
    game.perfect(until=7)
    game.click(tanh)
    assert f"RuntimeError: {BACKWARD_TWICE}" in game.error and "line 10, `loss.ba" in game.error
    assert "TanhBackward0 of line 6 cannot run" in game.said
    wrong = game.page.locator(".mg-node.wrong").evaluate_all("all => all.map(e => e.dataset.node)")
    assert wrong == [str(tanh)]
    game.button("Back to before the mistake")
    assert not game.page.get_by_role("alert").is_visible() and game.game.ran == 2
    assert "held" in chip.get_attribute("class")
    game.perfect()
    assert "Backward is over" in game.said and "1 mistake." in game.said


def test_a_chip_kept_too_long_is_out_of_memory_and_back_mends_it(table):
    game = table(CHAIN)
    for visit in game.game.visits[:3]:
        game.click(visit.node)
    assert "OutOfMemoryError: out of memory: tried to allocate 8192 bytes" in game.error
    assert "you still hold result of TanhBackward0 of line 6" in game.said
    game.button("Back to before the mistake")
    game.click(f"{game.game.visits[1].node}:0")
    assert f"{size_text(8192)} are given back" in game.said
    game.perfect()
    assert "Backward is over" in game.said


def test_the_keyboard_is_enough(table):
    game = table(CHAIN)
    page, visits = game.page, game.game.visits
    focused = "document.activeElement.dataset.key"
    page.locator("button").first.focus()
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate(focused):
            break
    assert page.evaluate(focused) == str(visits[0].node), "the first stop is the newest node"
    game.press("Enter", "ArrowUp", "Enter", "ArrowRight")
    assert page.evaluate(focused) == f"{visits[1].node}:0"
    game.press("Enter")
    assert "lets go of result" in game.said
    assert page.evaluate(focused) == f"{visits[1].node}:0", "the focus stays through a move"
    game.press("ArrowLeft")
    assert page.evaluate(focused) == str(visits[1].node)
    game.press("Backspace")
    assert "Back to before result of TanhBackward0 of line 6 was dropped" in game.said
    game.press("Home")
    assert page.evaluate(focused) == str(game.game.visits[-1].node)
    game.press("ArrowUp", "End", " ")
    page.get_by_text("has run already").wait_for()
    assert page.evaluate("document.querySelectorAll('.mgg-item[tabindex=\"0\"]').length") == 1


def test_the_focused_card_is_seen(table):
    game = table(CHAIN)
    card = game.page.locator(f'[data-key="{game.game.visits[0].node}"]')
    width = "e => getComputedStyle(e.querySelector('rect')).strokeWidth"
    assert card.evaluate(width) == "1px"
    game.page.locator("button").first.focus()
    card.focus()
    game.page.keyboard.press("ArrowUp")
    game.page.keyboard.press("ArrowDown")
    assert card.evaluate(width) == "3px"


def test_a_screen_reader_hears_nodes_chips_and_each_move(table):
    game = table(CHAIN, title="A tiny GPU")
    page = game.page
    assert page.get_by_role("group", name="A tiny GPU").count() == 1
    assert page.locator("[data-lm-suppress-shortcuts=true]").count() == 1
    total = page.get_by_role("button", name="node SumBackward0 of line 7", exact=True)
    assert total.count() == 1
    chip = f"result, {size_text(8192)}, saved by TanhBackward0 of line 6"
    assert page.get_by_role("button", name=chip, exact=True).count() == 1
    game.click(game.game.visits[0].node)
    assert page.get_by_role("button", name="node SumBackward0 of line 7, has run").count() == 1
    assert page.locator(".mg-status[role=status]").inner_text() == game.said


def test_a_silent_kernel_is_said(table):
    game = table(CHAIN, silent=True)
    game.page.locator(f'[data-key="{game.game.visits[0].node}"]').locator("text").first.click()
    game.page.get_by_text(SILENT).wait_for()
    assert game.game.ran == 0


def test_a_storage_says_who_holds_it(table):
    game = table(CHAIN)
    game.page.locator(".mg-storage").last.hover()
    held = game.page.locator(".mg-held")
    assert held.inner_text() == f"{size_text(8192)} held by: name x, node MmBackward0.self"
    mm = game.game.visits[4].node
    game.click(f"{mm}:0")
    game.page.locator(".mg-storage").last.hover()
    assert held.inner_text() == f"{size_text(8192)} held by: name x"


def test_start_over_and_a_closed_view(table):
    game = table(CHAIN)
    game.click(game.game.visits[3].node)
    game.click(game.game.visits[0].node)
    game.button("Start over")
    assert game.page.locator(".mgg-score").inner_text() == "No mistakes" and game.game.ran == 0
    assert game.page.get_by_role("button", name="Undo").is_disabled()
    game.page.evaluate("window.stop()")
    assert game.page.evaluate("Object.values(window.heard).flat().length") == 0
    assert game.page.locator(".mg-play").count() == 0


def test_two_views_of_one_game_go_together(table):
    game = table(CHAIN)
    game.page.evaluate("void window.view.render({ model: window.model, el: document.body })")
    game.page.locator(f'[data-key="{game.game.visits[0].node}"] text').first.click()
    game.page.wait_for_function("window.model.get('now').moves === 1")
    assert len(set(game.page.locator(".mg-status").all_inner_texts())) == 1
    ids = game.page.evaluate("[...document.querySelectorAll('pattern, marker')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_text_of_the_program_is_never_markup(table):
    game = table("bad = '<img src=x onerror=window.hacked=1>'\n" + CHAIN, title="<img src=x>")
    assert game.page.locator(".mg-play img").count() == 0
    assert "<img" in game.page.locator(".mg-source").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 1280])
def test_nothing_is_wider_than_the_page(table, visit, screenshots, scheme, width):
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=scheme)
    game = table(TWICE, title="Two backwards on a tiny GPU")
    game.perfect(until=3)
    game.click(f"{game.game.visits[1].node}:0")
    game.perfect(until=7)
    game.click(game.game.visits[1].node)
    visit.page.screenshot(path=screenshots / f"play_{scheme}_{width}.png", full_page=True)
    assert "cannot run" in game.said
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    over = """() => [...document.querySelectorAll(".mg-node")].filter((card) => {
      const [name, origin] = [...card.querySelectorAll("text")].map(e => e.getBoundingClientRect());
      const right = card.firstChild.getBoundingClientRect().right;
      return name.right > origin.left || origin.right > right;
    }).map((card) => card.textContent)"""
    assert visit.page.evaluate(over) == []


# -- JupyterLab --


@pytest.fixture
def lesson(visit, address):
    """Lesson 04 in the lab, all of it run."""
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 800})  # the file browser is open
    open_notebook(page, address, "play", "notebooks/04_which_is_freed.ipynb")
    run_all(page)
    page.locator(".mg-play").wait_for()
    yield page
    assert_clean(visit)


def test_in_the_lab_a_kernel_answers_each_click(lesson, screenshots):
    page = lesson
    game = page.locator(".mg-play")
    cells = "window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before = page.evaluate(cells)
    said = game.get_by_role("status")
    node = lambda name: game.get_by_role("button", name=f"node {name}").locator("text").first  # noqa: E731
    node("TanhBackward0 of line 5").click()
    said.get_by_text("has no gradient yet").wait_for()
    pane = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer")
    assert game.bounding_box()["height"] <= pane.bounding_box()["height"] - 8
    told, seen = game.locator(".mgg-reason rect").bounding_box(), pane.bounding_box()
    top, bottom = told["y"] - seen["y"], told["y"] + told["height"] - seen["y"]
    assert -1 < top and bottom < seen["height"] + 1, "scrolled into sight, to a whole pixel"
    node("SumBackward0").click()
    said.get_by_text("SumBackward0 of line 7 has run").wait_for()
    node("TanhBackward0 of line 6").click()
    said.get_by_text("TanhBackward0 of line 6 has run").wait_for()
    node("TanhBackward0 of line 5").click()
    game.get_by_role("alert").get_by_text("OutOfMemoryError").wait_for()
    page.keyboard.press("Backspace")
    said.get_by_text("Back to before").wait_for()
    game.get_by_role("button", name="saved by TanhBackward0 of line 6").locator("text").click()
    said.get_by_text(f"{size_text(8192)} are given back").wait_for()
    assert game.locator(".mgg-score").inner_text() == "2 mistakes"
    assert page.evaluate(cells) == before, "a key pressed in the game reached the notebook"
    colour = "e => getComputedStyle(e).backgroundColor"
    assert game.locator(".mgg-fill").evaluate(colour) != "rgba(0, 0, 0, 0)", "a style got lost"
    game.screenshot(path=screenshots / "play_lab.png")
