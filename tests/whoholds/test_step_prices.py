"""An error is explained with each fix's price, and the prices are what the fixes really cost."""

import pytest

import minigrad
from whoholds.step import step
from whoholds.step.magic import run
from whoholds.step.prices import told

CHAIN = """import torch
w = torch.ones(1000, requires_grad=True)
y = (w * 2).exp().sin().sum()
y.backward({})
{}
"""
AGAIN = "y.backward()"
IN_PLACE = """import torch
x = torch.ones(10, requires_grad=True)
a = x + 0
b = torch.ones(10)
c = a * b
b += 1
c.sum().backward()
"""
LOOSE = """import torch
x = torch.ones(10)
y = x * 2
y.sum().backward()
"""
CUT = """import torch
x = torch.ones(10, requires_grad=True)
with torch.no_grad():
    y = x * 2
y.sum().backward()
"""
OLD_GRAPH = """import torch
a = torch.ones(1, requires_grad=True)
b = a * 5
for i in range(2):
    c = b + i
    c.backward()
"""


def explain(trace) -> str:
    """The cause, and the ways out below it."""
    cause, ways = told(trace)
    return "\n- ".join([cause, *ways.values()])


def test_a_second_backward():
    assert explain(step(CHAIN.format("", AGAIN))) == (
        "SinBackward0, made by line 3, lost what it had saved to the backward of line 4.\n"
        "- line 3 again before each backward: keeps 0 B, runs 4 ops again\n"
        "- line 4, backward(retain_graph=True): keeps 4,000 B"
    )


def live_after(source):
    namespace = {}
    before = minigrad.memory_allocated()
    assert run(source, "minigrad", namespace).error is None
    return minigrad.memory_allocated() - before


def test_the_price_of_retaining_is_what_retaining_costs():
    assert live_after(CHAIN.format("retain_graph=True", "")) - live_after(CHAIN.format("", "")) == (
        4000
    )


def test_what_a_name_holds_has_no_price():
    source = "import torch\nw = torch.ones(9, requires_grad=True)\ny = (w * w).sum()\n"
    text = explain(step(source + "y.backward()\ny.backward()"))
    assert "keeps 0 B more, for what it saved lives anyway" in text


def test_a_new_loss_on_an_old_graph_may_be_detached():
    text = explain(step(OLD_GRAPH))
    assert "keeps 0 B more, for it saved a plain number" in text
    assert "- detach() the result of line 3: keeps 0 B, no gradient before it" in text


def test_a_write_in_place():
    assert explain(step(IN_PLACE)) == (
        "MulBackward0, made by line 5, had saved 40 B (other); line 6 wrote into them.\n"
        "- line 6 out of place: 40 B more while both live\n"
        "- line 5 with .clone() of what it saves: 40 B more until backward\n"
        "- backward() before line 6: 0 B"
    )


def test_nothing_requires_grad():
    assert explain(step(LOOSE)) == (
        "y, made by line 3, has no grad_fn: nothing it was made from requires grad.\n"
        "- x.requires_grad_() after line 2: 40 B for x.grad, and what the operations save"
    )


def test_a_graph_that_was_cut():
    text = explain(step(CUT))
    assert text.startswith("y, made by line 4, has no grad_fn, though x requires grad: a no_grad")
    assert "40 B for x.grad" in text


@pytest.mark.parametrize("source", [CHAIN.format("", AGAIN), IN_PLACE, LOOSE, CUT, OLD_GRAPH])
def test_an_explanation_is_short(source):
    assert 20 < len(explain(step(source)).split()) <= 60


def test_other_errors_and_none_need_no_prices():
    assert told(step("x = 1 / 0")) is told(step("x = 1")) is None


@pytest.mark.parametrize("source", [CHAIN.format("", AGAIN), IN_PLACE, LOOSE, CUT, OLD_GRAPH])
def test_both_engines_are_explained_alike(source):
    pytest.importorskip("torch")
    assert explain(step(source, "torch")) == explain(step(source, "minigrad"))
