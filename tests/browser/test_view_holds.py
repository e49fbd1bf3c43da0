"""What the script draws and says of holders, against its twin in Python, step by step."""

import pytest

from tests.browser.test_lab import assert_clean
from tests.browser.test_view import GO, open_view
from tests.whoholds.random_snippets import snippet
from whoholds.state import State
from whoholds.step import step
from whoholds.views.data import view_data
from whoholds.views.holds import holders, holds, nobody

LEAF = "import torch\nk = torch.ones(8, requires_grad=True)\ny = k + 1\ndel k"
HELD = """() => Object.fromEntries([...document.querySelectorAll(".mg-storage:not(.dead)")]
  .map((card) => [card.dataset.storage, card.dataset.held]))"""
FROM = """n => [...document.querySelectorAll(`.mg-arrow.ref[data-of="${n}"]`)]
  .map((arrow) => arrow.dataset.to)"""
PROGRAMS = {"leaf": LEAF, **{seed: snippet(seed) for seed in (3, 8)}}


@pytest.mark.parametrize("name", PROGRAMS)
def test_holders_are_told_as_in_python(visit, name):
    trace = step(PROGRAMS[name], namespace={"hide": [].append, "__name__": "snippet"})
    page = open_view(visit, {"": trace})
    state, lines = State(), {0, *view_data({"": trace})["traces"][0]["lines"]}
    for number, event in enumerate(trace.events, 1):
        state.apply(event)
        if number in lines or number == len(trace) or name == "leaf":  # the short one at each step
            page.evaluate(GO, number)
            told = holders(state)
            wanted = {str(n): ", ".join(told[n]) or nobody(state, n) for n in state.storages}
            assert page.evaluate(HELD) == wanted, f"step {number}: {event}"
    assert_clean(visit)


def test_accumulategrad_has_an_arrow_to_its_leaf_and_says_as_what(visit):
    trace = step(LEAF)
    state = State()
    for event in trace.events:
        state.apply(event)
    [(leaf, node, words)] = holds(state)
    page = open_view(visit, {"": trace})
    page.evaluate(GO, len(trace))
    storage = state.tensors[int(leaf[1:])]["storage"]
    assert words == ".variable" and page.evaluate(FROM, node[1:]) == [str(storage)]
    card = page.locator(f'.mg-node[data-node="{node[1:]}"]')
    assert card.locator("text").all_text_contents() == ["AccumulateGrad", "variable"]
    page.locator(f'.mg-storage[data-storage="{storage}"]').hover()
    assert page.locator(".mg-held").text_content().endswith("node AccumulateGrad.variable")
