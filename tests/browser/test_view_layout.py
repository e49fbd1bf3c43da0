"""A view on the screens that learners have: what belongs together is in sight together."""

import nbformat
import pytest

import minigrad as mg
from tests.browser.test_lab import assert_clean, open_notebook, run_all
from tests.browser.test_view import GO, open_view
from tests.browser.test_view_lab import PYTHON
from tests.whoholds.test_views_traces import ALL
from whoholds.step.magic import run

TEN_NODES = """%%step --title "Ten nodes"
import torch
x = torch.ones(64, 32)
w1 = torch.full((32, 32), 0.01, requires_grad=True)
w2 = torch.full((32, 32), 0.01, requires_grad=True)
b = torch.zeros(32, requires_grad=True)
h = (x @ w1).tanh()
h = (h @ w2).tanh()
loss = (h * b).exp().sum()
loss.backward()"""
SIDE = "open => window.jupyterapp.shell[open ? 'expandLeft' : 'collapseLeft']()"
# Where the parts of the view are, once its cell stands at the top of the pane.
PARTS = """async () => {
  const view = document.querySelector(".mg-view"), find = (what) => view.querySelector(what);
  view.scrollIntoView({ block: "start" });
  await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  const pane = document.querySelector(".jp-WindowedPanel-outer"), lanes = find(".mg-lanes");
  const box = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const up = view.getBoundingClientRect().top;
    return { left, right, top: top - up, bottom: bottom - up };
  };
  return {
    pane: pane.clientHeight, wide: pane.scrollWidth - pane.clientWidth, lanes: box(lanes),
    plot: box(find(".mg-plot")), status: box(find(".mg-status")), source: box(find(".mg-source")),
    low: Math.max(...[...view.querySelectorAll(".mg-card")].map((card) => box(card).bottom)),
    scroll: lanes.scrollHeight - lanes.clientHeight,
    nodes: view.querySelectorAll(".mg-node").length,
  };
}"""
# What sticks out of the view, or scrolls sideways in it; the lanes may, in their own box.
OUT = """() => {
  const view = document.querySelector(".mg-view"), page = document.documentElement;
  const { left, right } = view.getBoundingClientRect();
  const out = [...view.querySelectorAll("*")].filter((e) => {
    const box = e.getBoundingClientRect(), lanes = e.closest(".mg-lanes");
    if (!box.width || e.closest(".mg-frame svg svg") || (lanes && lanes !== e)) return false;
    const scrolls = !lanes && e.scrollWidth > e.clientWidth + 1;
    const mayScroll = getComputedStyle(e).overflowX === "auto";
    return box.left < left - 1 || box.right > right + 1 || (scrolls && mayScroll);
  }).map((e) => e.outerHTML.slice(0, 90));
  return page.scrollWidth > page.clientWidth ? [...out, "page"] : out;
}"""


# The words of a program that a view breaks inside, where it stands beside the lanes.
BROKEN = """() => {
  const codes = [...document.querySelectorAll(".beside .mg-source [data-line] code")];
  return codes.flatMap((code) => {
    const text = code.firstChild, range = document.createRange();
    return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return range.getClientRects().length > 1;
    }).map(([word]) => word);
  });
}"""


@pytest.fixture
def ten_nodes(lab, address, project):
    """A notebook whose view shows a program of ten nodes."""
    cells = [nbformat.v4.new_code_cell(source) for source in ("import whoholds.step", TEN_NODES)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": PYTHON})
    nbformat.write(notebook, project / "my/ten.ipynb")
    open_notebook(lab.page, address, "ten", "ten.ipynb")
    run_all(lab.page)
    lab.page.locator(".mg-view").wait_for()
    yield lab.page
    assert_clean(lab)


def at(page, width, height, side):
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(SIDE, side)
    page.wait_for_timeout(300)  # JupyterLab lays out in a later frame
    return page.evaluate(PARTS)


def test_ten_nodes_are_on_one_screen_with_plot_and_sentence(ten_nodes, screenshots):
    for width, side in (1280, True), (1280, False), (900, False):
        found = at(ten_nodes, width, 800, side)
        ten_nodes.screenshot(path=screenshots / f"ten_nodes_{width}_{side}.png")
        assert found["nodes"] == 10 and found["scroll"] <= 0
        assert found["plot"]["top"] >= 0 and found["low"] <= found["pane"] < 690, (width, found)
        assert found["source"]["right"] <= found["lanes"]["left"], "beside, not above"
        assert found["source"]["top"] == found["lanes"]["top"] and found["wide"] <= 0
        assert ten_nodes.evaluate(BROKEN) == [], width


def test_nothing_is_lost_in_a_narrow_window_or_a_large_zoom(ten_nodes, screenshots):
    for width, height, side in (
        (853, 533, False),
        (853, 533, True),
        (900, 800, True),
        (390, 800, False),
    ):
        found = at(ten_nodes, width, height, side)
        ten_nodes.screenshot(path=screenshots / f"ten_nodes_{width}_{height}_{side}.png")
        assert found["wide"] <= 0 and ten_nodes.evaluate(OUT) == [], (width, side)
        assert found["scroll"] <= 0, "down to the last card by the page's own scrolling"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [390, 640, 853, 1280])
def test_nothing_scrolls_sideways_but_the_lanes_in_their_box(visit, name, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    trace = ALL[name]()
    page = open_view(visit, {"": trace}, "A title that is as long as titles of lessons are")
    for step in {0, len(trace) // 2, len(trace)}:
        page.evaluate(GO, step)
        assert page.evaluate(OUT) == []


PRODUCT = """p = mg.ones(16, 32, requires_grad=True)
q = mg.ones(32, 16, requires_grad=True)
last = p @ q"""


@pytest.mark.parametrize("width", range(620, 1000, 60))
def test_no_word_of_a_program_beside_its_lanes_is_broken(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    page = open_view(visit, {"": run(PRODUCT, "minigrad", {"mg": mg}).trace}, "A product")
    assert page.evaluate(BROKEN) == []
