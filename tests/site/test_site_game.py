"""A page plays a game by the kernel's rules: random moves, and all that each of them changes."""

import html
import json
import random
import re

import pytest

from course.play import play
from course.site import scripts
from course.site.played import rules
from tests.browser.conftest import browser  # noqa: F401
from tests.course.play_lessons import lesson_games
from whoholds.views.script import ending

SHARED = """
w = mg.ones(8, 8, requires_grad=True)
x = mg.ones(4, 8)
h = (x @ w).tanh()
loss = (h * h).sum() + h.exp().sum()
del h
loss.backward()
"""
ORDER = """
a = mg.ones(3, requires_grad=True)
b = mg.ones(3, requires_grad=True)
loss = (a + b + a).sum()
loss.backward()
"""
TWICE = """
w = mg.ones(100, requires_grad=True)
y = w.exp().sin()
y.sum().backward(retain_graph=True)
(y * y).sum().backward()
"""
PLAY = """([rules, board, messages]) => {
  const values = {}, model = { set: (name, value) => { values[name] = value; } };
  const answer = engineOf(rules, board.layout);
  const told = (message) => { values.now = null; answer(message, model); return values.now; };
  return messages.map(told);
}"""


def messages(game, draw, count=60):
    """What somebody might click, mostly the right thing; `game` goes along."""
    for _ in range(count):
        nodes = list(game.world.nodes)
        due = game.visits[game.ran].node if game.ran < len(game.visits) else draw.choice(nodes)
        slots = [(n, s["slot"]) for n in nodes for s in game.world.nodes[n]["slots"]]
        kind = draw.choices(["right", "visit", "drop", "back", "again"], [8, 2, 5, 2, 0.3])[0]
        if kind == "drop" and slots:
            node, slot = draw.choice(slots)
            yield {"type": "drop", "node": node, "slot": slot}
        elif kind in ("back", "again"):
            yield {"type": kind}
        else:
            yield {"type": "visit", "node": due if kind == "right" else draw.choice(nodes)}


def plain(now):
    """As the page has it: no marks of HTML, numbers as JavaScript writes them."""
    now = json.loads(json.dumps(now))
    now.pop("turn", None)
    for name in "plot", "reason":
        now[name] = re.sub(r"(\d)\.0(?=\D|$)", r"\1", html.unescape(now[name] or ""))
    state = now["state"]
    now["state"] = {
        "names": state["names"],
        "line": state["line"],
        "storages": sorted([n, s["size"], s["saves"]] for n, s in state["storages"]),
        "tensors": sorted([n, t["storage"], t["grad"]] for n, t in state["tensors"]),
        "nodes": [[n, d["visited"], [[s["slot"], s["held"], s["storage"]] for s in d["slots"]]]
                  for n, d in state["nodes"]],
    }  # fmt: skip
    return now


@pytest.fixture(scope="module")
def page(browser):  # noqa: F811
    found = browser.new_page()
    game = (scripts.STATIC / "game.js").read_text("utf-8")
    found.add_script_tag(content=scripts.EXPORT.sub("", ending("")) + game)
    yield found
    found.close()


GAMES = {"shared": SHARED, "order": ORDER, "twice": TWICE}
GAMES |= {lesson: source for lesson, (source, *_) in lesson_games().items()}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("attempt", range(2))
def test_a_page_plays_as_the_kernel_does(page, name, attempt):
    draw = random.Random(number := random.randrange(10**9))
    print("seed", number)
    widget = play(GAMES[name])
    asked, told = [], []
    data = json.loads(json.dumps([rules(widget.game), widget.board]))
    for message in messages(widget.game, draw):
        widget._heard(None, message, None)
        asked.append(message)
        told.append(plain(widget.now))
    found = page.evaluate(PLAY, [*data, asked])
    for message, one, other in zip(asked, found, told, strict=True):
        assert plain(one) == other, message
