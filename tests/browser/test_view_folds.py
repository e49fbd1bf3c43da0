"""A folded trace in the browser: its rows are those of Python at each step; a click opens one."""

import json

import pytest

from tests.browser.test_lab import assert_clean
from tests.browser.test_view import GO, open_view
from tests.browser.test_view_layout import OUT
from tests.whoholds.looped import loop
from tests.whoholds.test_views_traces import chain
from whoholds.state import replay
from whoholds.views import folds as module
from whoholds.views.folds import Folds
from whoholds.views.rows import told

ROWS = """() => [...document.querySelectorAll(".mg-fold:not([hidden])")].map((row) => [
  row.querySelector("b").textContent, row.querySelector("em").textContent,
  row.ariaExpanded === "true", row.classList.contains("turn")])"""
CARDS = """() => {
  const all = (what) => [...document.querySelectorAll(what)];
  return { shown: all(".mg-lanes > svg")[0].style.display !== "none",
    storages: all(".mg-storage:not(.dead)").map((e) => +e.dataset.storage),
    nodes: all(".mg-node").map((e) => +e.dataset.node),
    names: all(".mg-name[data-name]").map((e) => e.dataset.name).sort() };
}"""
OPEN = "title => [...document.querySelectorAll('.mg-fold')].find((row) => !row.hidden && " \
       "row.firstChild.textContent === title).click()"  # fmt: skip


@pytest.fixture
def folded(monkeypatch):
    """However small a trace is, it is folded."""
    monkeypatch.setattr(module, "TALL", 0)


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_cards_are_those_of_python(visit, folded, seed):
    trace = loop(seed, "minigrad")
    page, folds, group = open_view(visit, {"": trace}), Folds(trace), 0
    page.evaluate(GO, 0)
    for step, state in enumerate(replay(trace.events), 1):
        found = folds.follow(state, trace.events[step - 1])
        if step % 9 and step != len(trace):
            continue
        page.evaluate(GO, step)
        if found is None:  # nothing happened to a card: what was open stays open
            continue
        group, part = found, folds.part(state, found)
        turn = folds.groups[group]["turn"]
        wanted = [
            [row.title, told(row), row.open or row.group is None and row.turn == turn,
             row.group is None]
            for row in folds.rows(state, group)
        ]  # fmt: skip
        assert page.evaluate(ROWS) == wanted, step
        cards = page.evaluate(CARDS)
        assert cards["shown"] and cards["storages"] == list(part.storages), step
        assert cards["nodes"] == list(part.nodes) and cards["names"] == sorted(part.names), step
    assert_clean(visit)


def test_a_click_opens_a_turn_and_a_group_and_closes_them(visit, folded):
    trace = loop(1, "minigrad")
    page = open_view(visit, {"": trace})
    page.evaluate(GO, len(trace))
    before = page.evaluate(ROWS)
    head = next(row[0] for row in before if row[3] and not row[2])
    page.evaluate(OPEN, head)
    rows = page.evaluate(ROWS)
    assert [row[0] for row in rows if row[3] and row[2]] == [head], "one turn at a time"
    assert not page.evaluate(CARDS)["shown"], "its group is out of sight"
    inner = next(row[0] for row in rows[[row[0] for row in rows].index(head) :] if not row[3])
    page.evaluate(OPEN, inner)
    assert [row[0] for row in page.evaluate(ROWS) if row[2]] == [head, inner]
    assert page.evaluate(CARDS)["shown"]
    page.evaluate(OPEN, inner)
    assert not page.evaluate(CARDS)["shown"]
    page.evaluate(OPEN, head)
    assert not any(row[2] for row in page.evaluate(ROWS))
    page.evaluate(GO, 1 + next(i for i, e in enumerate(trace.events) if e["kind"] == "node"))
    assert any(row[2] for row in page.evaluate(ROWS)), "a step opens what it is about"
    assert_clean(visit)


@pytest.mark.parametrize("seed", range(3))
def test_a_row_that_was_opened_stays_open_turn_after_turn_until_it_is_closed(visit, folded, seed):
    trace = loop(seed, "minigrad")
    page, folds = open_view(visit, {"": trace}), Folds(trace)
    own = {n: folds.groups[group] for n, group in folds.nodes.items()}
    nodes = [(i, own[e["node"]]) for i, e in enumerate(trace.events, 1) if e["kind"] == "node"]
    first = next(i for i, group in reversed(nodes) if group["turn"] == 1)
    last = next(i for i, group in reversed(nodes) if group["turn"] == 3)
    page.evaluate(GO, first)
    opened = lambda: [row[0] for row in page.evaluate(ROWS) if row[2]]  # noqa: E731
    titles = [{group["title"] for _, group in nodes if group["turn"] == turn} for turn in (1, 2, 3)]
    shown = {row[0] for row in page.evaluate(ROWS) if not row[2]}
    title = sorted(set.intersection(shown, *titles))[-1]
    row = f".mg-fold:not([hidden]):not(.turn):has(b:text-is({json.dumps(title)}))"
    page.locator(row).click()
    assert opened()[-1] == title
    tip, pressed = page.locator(".mg-tip").bounding_box(), page.locator(row).bounding_box()
    assert tip["y"] + tip["height"] < pressed["y"], "its cards are not covered"
    for step in range(first, last + 9):
        page.evaluate(GO, step)
        assert opened()[-1] == title, step
    assert opened()[0].endswith(" 3"), "in the turn where it happens"
    page.locator(row).click()
    page.evaluate(GO, last)
    assert opened()[-1] != title, "closed, the view follows what happens again"


def test_rows_are_reached_and_opened_by_keyboard(visit):
    page = open_view(visit, {"": chain(80)})
    page.evaluate(GO, 100)
    page.locator(".mg-fold:not([hidden])").first.focus()
    was = page.evaluate("document.activeElement.ariaExpanded")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.ariaExpanded") != was
    page.keyboard.press(" ")
    assert page.evaluate("document.activeElement.ariaExpanded") == was
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className").startswith("mg-fold")


@pytest.mark.parametrize("width", [390, 853, 1280])
def test_a_folded_view_does_not_scroll_sideways(visit, folded, screenshots, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    trace = loop(2, "minigrad")
    page = open_view(visit, {"": trace})
    for step in {0, len(trace) // 2, len(trace)}:
        page.evaluate(GO, step)
        assert page.evaluate(OUT) == []
    page.screenshot(path=screenshots / f"folded_{width}.png")


def test_a_trace_beside_a_folded_one_has_lanes_of_its_own(visit):
    page = open_view(visit, {"large": chain(80), "small": chain(3)})
    page.locator(".mg-fold[aria-expanded=true]").last.click()
    assert not page.evaluate(CARDS)["shown"]
    page.locator(".mg-which").select_option(index=1)
    assert page.locator(".mg-fold").count() == 0 and page.evaluate(CARDS)["shown"]
    page.locator(".mg-which").select_option(index=0)
    assert page.locator(".mg-fold").count()
    assert_clean(visit)
