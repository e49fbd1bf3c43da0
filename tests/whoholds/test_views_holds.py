"""Picture, text and sentences show what a card holds without having saved it."""

import pytest

from course.play import game
from tests.whoholds.test_paths import BOTH
from whoholds.state import State
from whoholds.step import step
from whoholds.views import lanes
from whoholds.views.picture import picture
from whoholds.views.text import text
from whoholds.views.words import sentences

LEAF = "import torch\nk = torch.ones(8, requires_grad=True)\ny = k + 1\ndel k\n"
OWN = """class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.h = x * 2
        return x + 1
    @staticmethod
    def backward(ctx, g):
        return g
z = Keep.apply(y)
"""


@BOTH
@pytest.mark.parametrize("source, word", [(LEAF, "variable"), (LEAF + OWN, "h")])
def test_the_picture_has_an_arrow_and_its_word(engine, source, word, monkeypatch):
    pytest.importorskip("matplotlib")
    trace = step(source, engine)
    words, arrows = [], []
    monkeypatch.setattr(lanes.Lanes, "_hold", lambda self, *row: arrows.append(row))
    without = picture({"": trace}, step=len(trace))
    monkeypatch.undo()
    write = lanes.Lanes.text
    note = lambda self, x, y, text, *more, **how: (  # noqa: E731
        words.append(text), write(self, x, y, text, *more, **how))  # fmt: skip
    monkeypatch.setattr(lanes.Lanes, "text", note)
    assert picture({"": trace}, step=len(trace)) != without
    assert word in words and len(arrows) == 1 + (word == "h")


@BOTH
def test_text_and_sentence_name_the_leaf_by_its_node(engine):
    trace = step(LEAF, engine)
    assert "alive without a name: 32 B, held by node AccumulateGrad.variable" in text(trace)
    assert "line 3: AccumulateGrad is recorded, its variable is k" in sentences(trace)


def test_a_game_has_the_reference_in_what_the_page_is_sent():
    trace = step(LEAF + "y.sum().backward()\n")
    world = game.Game(trace).world
    nodes = dict(world.drawn()["nodes"])
    [leaf] = [n["tensor"] for n in nodes.values() if n["name"] == "AccumulateGrad"]
    assert leaf in dict(world.drawn()["tensors"]) and world.drawn()["played"]


def test_a_global_is_no_name_of_a_function():
    """No card, so no arrow, for a reference that is not there."""
    source = "import torch\nw = torch.ones(4)\ndef f(x):\n    return x * w\ny = f(w)\n"
    names: set = set()
    state = State()
    for event in step(source).events:
        state.apply(event)
        names |= set(state.names)
    assert names == {"w", "f.x", "y"}
