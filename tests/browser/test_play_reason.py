"""Why a click was refused is read at the card itself, and the games of the lessons fit a window."""

import pytest

from minigrad.core.messages import BACKWARD_TWICE
from tests.course.play_lessons import lesson_games
from tests.course.test_play import CHAIN

GAMES = lesson_games()
REASON = """() => {
  const one = (name) => document.querySelector(name);
  const box = (e) => e.getBoundingClientRect().toJSON();
  const card = one(".mgg-item[aria-description]"), bubble = one(".mgg-reason rect");
  const rows = [...document.querySelectorAll(".mgg-reason text")];
  return bubble && card && {
    card: card.dataset.key, why: card.ariaDescription, at: box(card), bubble: box(bubble),
    words: rows.map(box), said: rows.map((row) => row.textContent).join(" "),
    page: { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, lanes: box(one(".mg-lanes")),
  };
}"""


def inside(box, frame):
    return (
        box["left"] >= frame["left"] - 1 and box["right"] <= frame["right"] + 1
        and box["top"] >= frame["top"] - 1 and box["bottom"] <= frame["bottom"] + 1
    )  # fmt: skip


def assert_told_at(game, key, prefix="No: "):
    """The reason is written beside that card, wholly in sight, and said to a screen reader."""
    told = game.page.evaluate(REASON)
    assert told["card"] == str(key) and told["why"] == game.said
    assert told["said"] == prefix + game.said
    assert inside(told["bubble"], told["page"]) and inside(told["bubble"], told["lanes"])
    assert all(inside(row, told["bubble"]) for row in told["words"])
    card, bubble = told["at"], told["bubble"]
    assert 0 < card["left"] - bubble["right"] < 20, "beside it"
    assert bubble["top"] < card["bottom"] and card["top"] < bubble["bottom"], "at its height"


@pytest.mark.parametrize("height", [300, 800])
@pytest.mark.parametrize("lesson", GAMES)
def test_a_reason_is_in_sight_wherever_the_card_is(table, visit, lesson, height):
    """In a low window, too, where the page is scrolled as far as the card is just in sight."""
    visit.page.set_viewport_size({"width": 868, "height": height})
    game = table(GAMES[lesson][0])
    for node in game.game.labels:
        if node == game.game.visits[0].node:
            continue
        card = visit.page.locator(f'[data-key="{node}"]')
        card.evaluate("e => e.scrollIntoView({ block: 'end' })")
        game.click(node)
        assert "has no gradient yet" in game.said
        assert_told_at(game, node)


def test_a_reason_is_there_in_keyboard_play_and_goes_with_the_next_move(table):
    game = table(CHAIN)
    page, visits = game.page, game.game.visits
    page.locator(f'[data-key="{visits[0].node}"]').focus()
    game.press("ArrowUp", "ArrowUp", "Enter")
    assert_told_at(game, visits[2].node)
    focused = "document.activeElement.ariaDescription"
    assert page.evaluate(focused) == game.said, "read where the focus is"
    game.press("ArrowDown", "ArrowDown", "Enter")
    assert page.evaluate(REASON) is None and page.evaluate(focused) is None
    assert "has run" in game.said


def test_the_reason_of_an_error_and_of_a_chip_stand_at_their_cards(table):
    game = table(CHAIN)
    tanh, late = game.game.visits[1].node, game.game.visits[2].node
    for _ in range(2):
        game.click(f"{tanh}:0")
    assert_told_at(game, f"{tanh}:0")
    game.perfect(until=1)
    game.click(tanh)
    assert_told_at(game, tanh, prefix="Stop: ")
    game.click(late)
    assert "go back to before the mistake" in game.said
    assert_told_at(game, late)


@pytest.mark.parametrize("lesson", GAMES)
def test_a_lesson_s_game_fits_beside_the_file_browser(table, visit, lesson):
    """848 x 680 pixels are what a notebook has in a window of 1280 x 800; errors fit in, too."""
    visit.page.set_viewport_size({"width": 848, "height": 680})
    game = table(GAMES[lesson][0], title=GAMES[lesson][1])
    box = visit.page.locator(".mg-play")
    scrolls = "e => e.scrollHeight > e.clientHeight"

    def assert_fits():
        found = box.bounding_box()
        assert found["height"] <= 672, game.said
        assert not visit.page.locator(".mg-lanes").evaluate(scrolls)

    assert_fits()
    if game.game.drops:
        saver = game.game.visits[1].node
        game.perfect(until=1)
        game.click(f"{saver}:0")
        game.click(saver)
        assert BACKWARD_TWICE in game.error
        assert_fits()
        game.button("Start over")
        while not game.game.failed:
            game.click(game.game.visits[game.game.ran].node)
        assert "OutOfMemoryError" in game.error
        assert_fits()
        game.button("Start over")
    game.perfect()
    assert "Backward is over" in game.said
    assert_fits()
