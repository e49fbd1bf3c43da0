"""The site's pages in Chromium, opened as files: nothing overflows, nothing fails, widgets live."""

import random

import pytest

from course.predict.numbers import compared, read
from course.site import scripts, search
from tests.browser.conftest import browser  # noqa: F401
from tests.site.test_site_pages import SITE, current
from tests.site.test_site_search import TITLES, data  # noqa: F401

WIDTHS = 390, 900, 1280
WIDE = "document.documentElement.scrollWidth - innerWidth"
NOT_LIVE = "document.querySelectorAll('.mg-live:not(.mg-mounted)').length"
made = pytest.mark.skipif(
    not current(), reason="no site of these sources is there: `python3 run.py site` makes it"
)
PAGES = sorted(p.relative_to(SITE).as_posix() for p in SITE.rglob("*.html")) if current() else []
FEW = 12  # drawn anew in each run; all of them where CI=true


@pytest.fixture
def opened(browser, request):  # noqa: F811
    """Open a page of the site; at the end, nothing may have gone wrong on it."""
    contexts = []

    def open_(name, scripts_on=True, colours="light"):
        context = browser.new_context(java_script_enabled=scripts_on, color_scheme=colours)
        contexts.append(context)
        page, wrong = context.new_page(), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: told.type == "error" and wrong.append(told.text))
        page.on("request", lambda one: one.url.startswith("http") and wrong.append(one.url))
        page.wrong = wrong
        page.goto((SITE / name).as_uri())
        return page

    yield open_
    for context in contexts:
        for page in context.pages:
            assert page.wrong == []
        context.close()


def drawn():
    import os

    return PAGES if os.environ.get("CI") else sorted(random.sample(PAGES, min(FEW, len(PAGES))))


@made
@pytest.mark.parametrize("scripts_on", [True, False], ids=["scripts", "no scripts"])
def test_no_page_overflows_at_any_width(opened, scripts_on):
    page = opened("index.html", scripts_on)
    for name in drawn():
        page.goto((SITE / name).as_uri())
        for wide in WIDTHS:
            page.set_viewport_size({"width": wide, "height": 900})
            assert page.evaluate(WIDE) <= 0, (name, wide)
        if scripts_on:
            page.wait_for_function(f"{NOT_LIVE} === 0")
        else:
            stills = page.locator(".mg-still")
            assert all(stills.nth(i).is_visible() for i in range(stills.count())), name


@made
def test_a_view_steps_in_the_page(opened):
    page = opened("doors/trying-to-backward-a-second-time.html")
    count = page.locator(".mg-count")
    count.wait_for()
    before = count.inner_text()
    page.locator("[data-go=prev]").click()
    assert count.inner_text() != before
    assert not page.locator(".mg-still").is_visible()


@made
def test_a_card_asks_locks_and_tells(opened):
    page = opened("lessons/05_second_time.html")
    card = page.locator(".mgp-card:has(input[type=radio])").first
    card.locator("input").first.check()
    card.get_by_text("Lock and see").click()
    assert card.locator(".mgp-headline").inner_text()
    assert card.locator(".mgp-reason").count() >= 1
    card.get_by_text("Answer again").click()
    assert card.locator(".mgp-headline").count() == 0


@made
def test_a_game_is_played_in_the_page(opened):
    page = opened("lessons/03_walking_back.html")
    game = page.locator(".mg-play")
    game.wait_for()
    sentence = game.locator(".mg-status").inner_text()
    game.locator(".mgg-item").last.press("Enter")
    assert game.locator(".mg-status").inner_text() != sentence
    assert "kernel" not in game.locator(".mg-status").inner_text()


@made
def test_the_search_page_finds(opened):
    page = opened("search.html")
    page.goto(
        (SITE / "search.html").as_uri() + "?q=Trying+to+backward+through+the+graph+a+second+time"
    )
    first = page.locator("#mg-results a").first
    assert first.get_attribute("href") == "doors/trying-to-backward-a-second-time.html"


@made
def test_the_page_searches_as_python_does(opened, data):  # noqa: F811
    page = opened("search.html")
    for title in TITLES:
        found = page.evaluate("q => search(window.minigradPages, q).map(([a]) => a)", title["text"])
        assert found == search.search(data, title["text"]), title["text"]


GUESSES = (
    "8192 8,192 64*32*4 8KiB 2.5 -3 (1+2)*4 7//2 1e3 .5 3b abc 1+ 08 4; 2**3 1_000 12bytes".split()
)


def verdicts(page, unit, number):
    return page.evaluate(
        """([guesses, unit, number]) => guesses.map((text) => {
          const n = numberOf(text, unit);
          return n === null ? null : [n, guessed(n, number, [], {}, unit).headline];
        })""",
        [GUESSES, unit, number],
    )


@pytest.mark.parametrize(("unit", "number"), [("bytes", 8192), ("nodes", 7), ("times", 2.75)])
def test_a_page_reads_guesses_as_python_does(browser, unit, number):  # noqa: F811
    page = browser.new_page()
    page.add_script_tag(path=scripts.STATIC / "numbers.js")
    for text, told in zip(GUESSES, verdicts(page, unit, number), strict=True):
        try:
            guess = read(text, unit)
        except ValueError:
            assert told is None, text
            continue
        assert told[0] == guess, text
        if guess != number:
            said = compared(guess, number, unit).replace("**", "")
            assert told[1].replace("<strong>", "").replace("</strong>", "") == said
    page.close()
