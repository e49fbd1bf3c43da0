"""The saved page, as a stranger opens it: the answer is on its first screen, also on a phone's."""

import pytest

import minigrad as mg
from tests.browser.test_lab import assert_clean
from tests.whoholds.test_views_traces import ALL, second_backward
from whoholds.growth import grows
from whoholds.views.answer import answer
from whoholds.views.data import view_data
from whoholds.views.export import export

SCREENS = {"screen": (1280, 800), "phone": (390, 800)}
FIRST = """() => {
  const bottom = (what) => document.querySelector(what)?.getBoundingClientRect().bottom;
  return {
    answer: bottom(".mg-answer"), status: bottom(".mg-status"), plot: bottom(".mg-plot"),
    text: document.querySelector(".mg-answer").innerText, wide: document.body.scrollWidth,
    size: Math.min(...[...document.querySelectorAll(".mg-head *")]
      .map((e) => parseFloat(getComputedStyle(e).fontSize))),
  };
}"""
# contrast of the head's text with what it stands on, as WCAG counts it
CONTRAST = """() => {
  const rgb = (c) => { const d = document.createElement("canvas").getContext("2d");
    d.fillStyle = c; d.fillRect(0, 0, 1, 1); return [...d.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92
    : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    const c = e ? rgb(getComputedStyle(e).backgroundColor) : [255, 255, 255, 1];
    return c[3] ? c : ground(e.parentElement);
  };
  const text = document.querySelectorAll(".mg-head :is(h1, h2, p, li, code, summary, dt, dd)");
  return [...text].map((e) => {
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    return (a + .05) / (b + .05); });
}"""


def growing():
    net, kept = mg.ones(64, requires_grad=True), []

    def turn():
        kept.append((net * net).exp())
        kept[-1].sum().backward()

    return grows(turn).trace


MADE = {"error": second_backward, "growth": growing, "peak": ALL["forward"]}


@pytest.fixture
def opened(visit, tmp_path):
    def open_page(trace):
        visit.page.goto(export(trace, tmp_path / "a.html").as_uri())
        visit.page.wait_for_selector(".mg-card")
        return visit.page

    yield open_page
    assert_clean(visit)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", MADE)
def test_the_first_screen_has_the_answer_and_the_moment(visit, opened, screenshots, name, screen):
    wide, high = SCREENS[screen]
    visit.page.set_viewport_size(dict(width=wide, height=high))
    trace = MADE[name]()
    page = opened(trace)
    seen = page.evaluate(FIRST)
    page.screenshot(path=screenshots / f"head_{name}_{screen}.png")
    assert seen["text"].split("\n\n") == [row.replace("`", "") for row in answer(trace)]
    assert seen["answer"] < seen["plot"] < seen["status"] <= high
    assert seen["wide"] <= wide and seen["size"] >= 13
    said = view_data({"": trace})["traces"][0]
    assert page.locator(".mg-status").inner_text() == said["words"][said["opens"]].replace("`", "")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_head_can_be_read_in_both_themes(visit, opened, theme):
    visit.page.emulate_media(color_scheme=theme)
    trace = growing()
    vars(trace)["ways"] = ["line 3: `h.detach()`"]
    page = opened(trace)
    page.get_by_text("How to read this page").click()
    assert page.get_by_text("A turn ends when the optimizer has stepped.").is_visible()
    assert min(page.evaluate(CONTRAST)) >= 4.5
