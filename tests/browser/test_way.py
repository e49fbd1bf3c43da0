"""The way in and on, as a learner sees it: the first screen, and links that open where they say."""

import time

from tests.browser.conftest import PATIENCE
from tests.browser.test_lab import (
    AT_REST,
    CELLS,
    DRAWN,
    assert_clean,
    open_notebook,
    wait_until_ready,
)

SMALL = {"width": 1280, "height": 800}
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"
OPEN = """() => document.querySelector(
  "#jp-main-dock-panel .lm-TabBar-tab.lm-mod-current .lm-TabBar-tabLabel").textContent"""
# The headings that stand in sight in the notebook in front.
SEEN = r"""() => {
  const panel = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden)");
  const box = panel.getBoundingClientRect();
  return [...panel.querySelectorAll("h1, h2")].filter((h) => {
    const here = h.getBoundingClientRect();
    return here.height && here.top > box.top - 5 && here.bottom < box.bottom;
  }).map((h) => h.textContent.replace(/\s+/g, " "));
}"""


# The cell with the first link of the notebook in front that holds these words, brought into sight:
# cells that are out of it are taken off the page.
SHOW_LINK = """async (words) => {
  const { content } = window.jupyterapp.shell.currentWidget, links = ".jp-RenderedMarkdown a";
  const at = content.widgets.findIndex((cell) =>
    [...cell.node.querySelectorAll(links)].some((a) => a.textContent.includes(words)));
  if (at >= 0) await content.scrollToItem(at, "smart");
  return at >= 0;
}"""


def follow(page, words):
    """Click the first link of the notebook in front that holds these words."""
    until = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(SHOW_LINK, words):  # awaits what it returns; wait_for_function does not
        assert time.monotonic() < until, f"no link says {words!r}"
        page.wait_for_timeout(100)
    page.locator(f"{PANEL} .jp-RenderedMarkdown a", has_text=words).first.click()


SCROLLED = f"() => {CELLS}.scrollTop > 0"


def arrive(page, name, heading):
    page.wait_for_function(f"(wanted) => ({OPEN})() === wanted", arg=name)
    page.wait_for_function(f"(wanted) => ({SEEN})().some((h) => h.startsWith(wanted))", arg=heading)


def given_up(page, name, heading):
    """Whether a link has opened a notebook and left it at its top, or on the way.

    On a slow and busy machine drawing a cell takes longer than JupyterLab waits for it, and what
    is still drawn above moves a heading out of sight again; only a second click leads there.
    """
    page.wait_for_function(f"(wanted) => ({OPEN})() === wanted", arg=name)
    page.wait_for_function(f"() => ({DRAWN})() && ({AT_REST})()")
    return not page.evaluate(f"(wanted) => ({SEEN})().some((h) => h.startsWith(wanted))", heading)


def follow_to_heading(page, words, name, heading):
    """Follow a link to a place within another notebook, with a second click if one is needed."""
    before = page.evaluate(OPEN)
    follow(page, words)
    if given_up(page, name, heading):
        page.locator("#jp-main-dock-panel .lm-TabBar-tabLabel", has_text=before).click()
        follow(page, words)
    arrive(page, name, heading)


def stay(page, heading):
    """The heading is still in sight when all cells are drawn."""
    page.wait_for_function(f"() => ({SCROLLED})() && ({AT_REST})()")
    assert any(h.startswith(heading) for h in page.evaluate(SEEN)), page.evaluate(SEEN)


def test_two_keys_show_bytes_that_go_and_the_error_on_the_first_screen(visit, address, screenshots):
    page = visit.page
    page.set_viewport_size(SMALL)
    page.goto(address)
    wait_until_ready(page)
    page.locator(f"{PANEL} p", has_text="After this course you can say").wait_for()
    page.locator(f"{PANEL} .jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    error = page.locator(".mg-view .mg-error").first
    error.filter(has_text="RuntimeError: Trying to backward through the graph a second").wait_for()
    page.wait_for_timeout(1000)  # it scrolls, or does not
    page.screenshot(path=screenshots / "first_screen_run.png")
    pane = page.locator(PANEL).bounding_box()
    bottom = pane["y"] + pane["height"]
    lanes = page.locator(".mg-view .mg-lanes").first.bounding_box()
    assert pane["y"] <= lanes["y"] and lanes["y"] + lanes["height"] <= bottom  # what the keys step
    assert pane["y"] <= error.bounding_box()["y"] < bottom - 20
    assert_clean(visit)


def test_links_open_the_next_lesson_its_exercises_and_their_solutions(visit, address):
    page = visit.page
    open_notebook(page, address, "way", "notebooks/01_names_objects_bytes.ipynb")
    follow(page, "exercises")
    arrive(page, "01_names_objects_bytes.ipynb", "01 Names, objects, bytes: exercises")
    follow(page, "solutions")
    arrive(page, "01_names_objects_bytes.ipynb", "01 Names, objects, bytes: solutions")
    follow(page, "02 What a graph is made of")
    arrive(page, "02_the_graph.ipynb", "02 What a graph is made of")
    assert_clean(visit)


def test_a_thread_opens_where_it_stands_and_leads_to_its_answer(visit, address):
    page = visit.page
    open_notebook(page, address, "threads", "notebooks/03_walking_back.ipynb")
    follow_to_heading(page, "thread 003", "threads.ipynb", "Thread 003")
    # On a slow machine cells are still being drawn when JupyterLab scrolls to the link's.
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    follow_to_heading(page, "05, section 4", "05_second_time.ipynb", "4. ")
    stay(page, "4. ")
    assert_clean(visit)
