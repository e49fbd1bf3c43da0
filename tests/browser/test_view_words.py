"""Each word of the view explains itself, to who points at it and to who goes to it by Tab."""

import pytest

from tests.browser.test_lab import assert_clean
from tests.browser.test_view import GO, open_view
from tests.whoholds.test_views_traces import ALL, chain, second_backward
from whoholds.step.magic import step
from whoholds.views.data import view_data
from whoholds.views.export import page as html

# Texts of the view that are neither the program's nor a sentence nor a number of bytes alone.
WORDS = """() => {
  const own = ".mg-title, .mg-which, code, b, .mg-status, .mg-error, .mg-held, .mg-row, "
    + ".mg-strong, .mg-tip, .mg-name";
  const walk = document.createTreeWalker(document.querySelector(".mg-view"), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement, seen = element.getClientRects().length;
    if (!/[a-z]/i.test(node.data) || element.closest(own) || !seen) continue;
    const word = element.closest("[data-word]");
    found.push([node.data.trim(), word?.dataset.word ?? "", word?.dataset.about ?? ""]);
  }
  return found;
}"""
AT = """word => {
  const [first] = [...document.querySelectorAll("[data-word]")].filter((e) =>
    e.dataset.word === word && e.getClientRects().length);
  const target = first.querySelector("rect, text") ?? first, box = target.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
TIP = """() => {
  const tip = document.querySelector(".mg-tip"), box = tip.getBoundingClientRect();
  const view = document.querySelector(".mg-view").getBoundingClientRect();
  return tip.hidden ? null : [tip.textContent, box.left >= view.left && box.right <= view.right];
}"""
FOCUS = "document.activeElement.closest('.mg-view') !== null && document.activeElement.tagName"
MOMENTS = {
    "second": (second_backward, 33), "retained": (lambda: chain(6, retain=True), 40),
    "deletion": (ALL["deletion"], 12), "cleared": (ALL["cleared"], 50),
    "hidden": (second_backward, 9),
}  # fmt: skip


def opened(visit, name):
    make, at = MOMENTS[name]
    page = open_view(visit, {"": make()}, hide=name == "hidden")
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.evaluate(GO, at)
    return page, view_data({"": make()})["help"]


@pytest.mark.parametrize("name", MOMENTS)
def test_each_word_explains_itself_to_who_points_at_it(visit, name):
    page, meant = opened(visit, name)
    words = {word: text for text, word, _ in page.evaluate(WORDS)}
    assert len(words) > 8 and set(words) <= set(meant), "a word without a meaning"
    for word in words:
        page.mouse.move(2, 2)
        page.mouse.move(*page.evaluate(AT, word))
        said, within = page.evaluate(TIP)
        assert meant[word] in said and within, word
    assert_clean(visit)


@pytest.mark.parametrize("name", MOMENTS)
def test_each_word_explains_itself_to_who_goes_to_it_by_tab(visit, name):
    page, meant = opened(visit, name)
    words = {word for _, word, _ in page.evaluate(WORDS)}
    page.locator(".mg-view").focus()
    said = []
    for _ in range(150):
        page.keyboard.press("Tab")
        if not page.evaluate(FOCUS):
            break
        tip = page.evaluate(TIP)
        assert tip and tip[1], page.evaluate("document.activeElement.outerHTML")
        said.append(tip[0])
    assert [word for word in words if not any(meant[word] in text for text in said)] == []


def test_bytes_are_told_in_kib_too(visit):
    page = open_view(visit, {"": second_backward()})
    for what, told in [
        (".mg-count", "28,676 B = 28 KiB"), ("[data-storage='9'] .mg-strong", "8,192 B = 8 KiB"),
        (".mg-peak-text", " KiB"), ("[data-line='2'] i", "12,288 B = 12 KiB"),
        ("[data-chip='3:result'] text", "2,048 B = 2 KiB"), (".mg-status", "28,676 B = 28 KiB"),
    ]:  # fmt: skip
        page.locator(what).first.hover()
        assert told in page.evaluate(TIP)[0], what
    page.locator(".mg-title").hover()
    assert page.evaluate(TIP) is None


def test_a_view_that_hides_shows_of_the_curve_what_was_stepped_over(visit):
    trace = step(
        "import torch\nt = torch.ones(64)\nu = t.clone()\ndel u\ndel t\nv = torch.ones(999)\n"
    )
    text = html(view_data({"": trace}, opens=[0], hide=True))
    visit.page.set_content(text.replace("view.render({", "window.model = model; view.render({"))
    page = visit.page
    edge = """() => {
      const box = (what) => document.querySelector(what).getBoundingClientRect();
      return box(".mg-cover").width && box(".mg-cover").left - box(".mg-frame").left;
    }"""
    wide = page.locator(".mg-frame").bounding_box()["width"]
    assert page.evaluate(edge) == 0 and not page.locator(".mg-tick2").is_visible()
    assert str(trace.peak) not in page.locator(".mg-plot").get_attribute("aria-label")
    for at in (6, 3, 9):
        page.evaluate(GO, at)
        assert abs(page.evaluate(edge) - wide * max(6, at) / len(trace)) < 1, "what was seen stays"
    page.evaluate(GO, len(trace))
    assert page.evaluate(edge) == 0 and page.locator(".mg-tick2").is_visible()
    assert not page.locator(".mg-cover").is_visible()
