"""The live card: nothing leaks before the lock, the keyboard is enough, and a dead kernel is said.

Most of it on a bare page whose stub of a kernel is the real Python behind a card; the rest in a
real JupyterLab, where Run All must reveal nothing.
"""

import json

import pytest

from course.predict import live, predict
from tests.browser.test_lab import assert_clean, open_notebook, run_all

OPTIONS = {"8192 bytes": "a **copy** would", "0 bytes": "a view owns `nothing`", "4": "one float?"}
WHYS = "would", "owns", "one float"
CURVES = {
    "grows": [("a", 0), ("b", 1024), ("c", 2048)],
    "stays": [("a", 0), ("b", 1024), ("c", 1024)],
}
# What anywidget gives a view: state, events, messages. `kernel` is the Python of this test.
SHOW = """async ([script, asked, silent]) => {
  const state = { asked, verdict: {}, problem: "" }, heard = {};
  window.sent = [];
  const tell = (name, value) => (heard[name] ?? []).forEach(call => call(value));
  window.model = {
    get: key => state[key],
    on: (name, call) => (heard[name] ??= []).push(call),
    set: (key, value) => { state[key] = value; tell("change:" + key); },
    save_changes: () => {},
    off: (name, call) => (heard[name] = heard[name].filter(other => other !== call)),
    send: async message => {
      window.sent.push(message);
      if (silent) return;
      const [verdict, problem] = await window.kernel(message);
      state.problem = problem;
      if (problem) tell("msg:custom", { type: "refused" });
      if (verdict) { state.verdict = verdict; tell("change:verdict"); }
    },
  };
  window.heard = heard;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  window.view = (await import(url)).default;
  const el = document.getElementById("card");
  window.stop = window.view.render({ model: window.model, el });
}"""


def one_of(**more):
    return predict("01.view", "How many does `x.T` add?", OPTIONS, run=lambda: "0 bytes", **more)


def number():
    wrong = {8192: "that is `y` alone"}
    return predict("01.n", "How much?", unit="bytes", run=lambda: 16384, wrong=wrong, why="both")


@pytest.fixture
def show(visit):
    """Render a card on a bare page; gives the page."""

    def render(card, silent=False):
        page = visit.page
        style = (live.HERE / "card.css").read_text("utf-8")
        page.set_content(f"<style>{style}</style><button>before</button><div id=card></div>")
        page.expose_function("kernel", lambda message: list(live.verdict(card, message)))
        page.evaluate(SHOW, [live.SCRIPT, live.asked(card), silent])
        return page

    yield render
    assert_clean(visit)


def lock(page):
    return page.get_by_role("button", name="Lock and see")


def sent(page):
    return page.evaluate("window.sent")


def reasons(page):
    return page.locator(".mgp-result .mgp-reason").all_inner_texts()


def test_before_the_lock_the_page_holds_no_answer(show):
    page = show(one_of())
    assert not any(why in page.content() for why in WHYS)
    page.get_by_role("radio", name="8192").check()
    assert not any(why in page.content() for why in WHYS) and sent(page) == []


def test_the_chosen_reason_stands_first_and_the_others_are_folded(show):
    page = show(one_of())
    assert lock(page).is_disabled()
    page.get_by_role("radio", name="8192").check()
    lock(page).click()
    status = page.get_by_role("status")
    status.get_by_text("The run says otherwise: B. 0 bytes.").wait_for()
    assert [text.split()[0] for text in reasons(page)] == ["A.", "B."]
    assert "your choice" in reasons(page)[0] and "a copy would" in reasons(page)[0]
    assert page.locator(".mgp-result strong", has_text="copy").count() == 1
    assert not page.get_by_text("one float?").is_visible()
    page.get_by_text("And the other one?").click()
    assert page.get_by_text("one float?").is_visible()


def test_a_locked_choice_stays_locked(show):
    page = show(one_of())
    page.get_by_role("radio", name="8192").check()
    lock(page).click()
    page.get_by_text("The run says otherwise").wait_for()
    assert page.get_by_role("radio", name="0 bytes").is_disabled() and not lock(page).is_visible()
    page.locator(".mgp-card").press("b")
    assert page.get_by_role("radio", name="8192").is_checked() and len(sent(page)) == 1


def test_the_keyboard_is_enough(show):
    page = show(one_of())
    page.get_by_text("before").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("b")
    assert page.get_by_role("radio", name="0 bytes").is_checked()
    page.keyboard.press("3")
    assert page.get_by_role("radio", name="4").is_checked()
    page.keyboard.press("ArrowUp")
    assert page.get_by_role("radio", name="0 bytes").is_checked()
    assert page.locator(".mgp-option:focus-within").evaluate(
        "e => getComputedStyle(e).outlineWidth"
    )
    page.keyboard.press("Enter")
    page.get_by_text("Right: B. 0 bytes.").wait_for()
    assert sent(page) == [{"type": "lock", "choice": 1}]
    assert page.evaluate("document.activeElement.className").startswith("mgp-card")


def test_the_focused_option_is_seen(show):
    page = show(one_of())
    row = page.locator(".mgp-option").first
    width = "e => [getComputedStyle(e).outlineStyle, getComputedStyle(e).outlineWidth]"
    assert row.evaluate(width)[0] == "none"
    page.get_by_text("before").focus()
    page.keyboard.press("Tab")
    assert row.evaluate(width) == ["solid", "2px"]


def test_keys_meant_for_the_browser_choose_nothing(show):
    page = show(one_of())
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Control+c")
    assert not any(radio.is_checked() for radio in page.get_by_role("radio").all())


def test_a_screen_reader_hears_a_question_and_a_result(show):
    page = show(one_of(form="A"))
    group = page.get_by_role("group", name="Predict · form A How many does x.T add?")
    assert group.get_by_role("radio").count() == 3
    assert page.get_by_role("status").inner_text() == ""
    assert page.locator("[data-lm-suppress-shortcuts=true] fieldset").count() == 1


def test_without_a_choice(show):
    page = show(one_of())
    page.get_by_role("button", name="Show me without a choice").click()
    page.get_by_text("The run says B. 0 bytes.").wait_for()
    assert sent(page) == [{"type": "skip"}]
    assert not any(radio.is_checked() for radio in page.get_by_role("radio").all())
    assert "your choice" not in page.get_by_role("status").inner_text()


def test_a_number_and_its_distance(show):
    page = show(number())
    page.get_by_role("textbox").fill("64 * 32 * 4")
    page.keyboard.press("Enter")
    page.get_by_text("You said 8,192 bytes, measured 16,384 bytes: twice too few.").wait_for()
    assert "that is y alone" in reasons(page)[0] and "both" in reasons(page)[1]
    widths = page.locator(".mgp-track > span").evaluate_all("all => all.map(e => e.style.width)")
    assert widths == ["50%", "100%"]


def test_what_is_no_number_locks_nothing(show):
    page = show(number())
    for _ in range(2):
        page.get_by_role("textbox").fill("many")
        page.keyboard.press("Enter")
        page.get_by_text("That is no number").wait_for()
    page.get_by_role("textbox").fill("16 KiB")
    lock(page).click()
    page.get_by_text("Right: 16,384 bytes, exactly.").wait_for()


def test_curves_are_pictures_with_words(show):
    card = predict("01.c", "?", dict.fromkeys(CURVES, "w"), curves=CURVES, run=lambda: "stays")
    page = show(card)
    names = [
        picture.get_attribute("aria-label")
        for picture in page.locator(".mgp-option [role=img]").all()
    ]
    assert names == ["0, 1024, 2048 bytes", "0, 1024, 1024 bytes"]
    page.locator(".mgp-option").nth(1).click()
    lock(page).click()
    page.get_by_text("Right: B. stays.").wait_for()


def test_a_silent_kernel_is_said(show):
    page = show(one_of(), silent=True)
    page.get_by_role("radio").first.check()
    lock(page).click()
    page.get_by_text("The kernel has not answered yet.").wait_for()
    assert not any(why in page.content() for why in WHYS)


def test_a_second_view_of_a_locked_card_shows_the_verdict(show):
    page = show(one_of())
    page.get_by_role("radio").first.check()
    lock(page).click()
    page.get_by_text("The run says otherwise").wait_for()
    page.evaluate("""() => {
      window.stop();
      const el = document.getElementById("card");
      el.replaceChildren();
      window.view.render({ model: window.model, el });
    }""")
    page.get_by_text("The run says otherwise").wait_for()
    assert page.get_by_role("radio").first.is_checked()


def test_a_closed_view_listens_no_more(show):
    page = show(one_of())
    page.evaluate("window.stop()")
    assert page.evaluate("Object.values(window.heard).flat().length") == 0


def test_motion_is_the_reader_s_choice(show):
    page = show(one_of())  # `visit` asks for reduced motion
    row = page.locator(".mgp-option").first
    assert row.evaluate("e => getComputedStyle(e).transitionDuration") == "0s"


# --- JupyterLab ----------------------------------------------------------------------------


@pytest.fixture
def welcome(visit, address):
    """Lesson 00 in the lab, all of it run."""
    page = visit.page
    open_notebook(page, address, "cards", "notebooks/00_welcome.ipynb")
    run_all(page)
    assert page.locator(".mgp-card").count() >= 11
    yield page
    assert_clean(visit)


def test_in_the_lab_nothing_shows_before_a_choice_is_locked(welcome, project, screenshots):
    page, file = welcome, project / "my/progress.json"
    card = page.locator(".mgp-card").first
    hidden = "It removes a name"
    assert page.locator(".mgp-card").count() == 11 and hidden not in page.content()
    assert page.locator(".mgp-result:not(:empty)").count() == 0 and not file.exists()
    cells = "window.jupyterapp.shell.currentWidget.content.model.cells.length"
    before = page.evaluate(cells)
    card.get_by_role("radio").first.focus()
    page.keyboard.press("b")
    page.keyboard.press("a")
    assert page.evaluate(cells) == before, "a key pressed in the card reached the notebook"
    page.keyboard.press("Enter")
    card.get_by_text("The run says otherwise").wait_for()
    assert hidden in card.locator(".mgp-reason").first.inner_text()
    card.screenshot(path=screenshots / "card_locked.png")
    found = json.loads(file.read_text())["predictions"]
    assert found == {"00.dels": {"outcome": "wrong", "choice": "8,192 B and 8,192 B", "times": 1}}
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.classList.contains('jp-Cell')")
