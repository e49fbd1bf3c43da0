"""Nothing recurses along the graph: 50,000 nodes are built, run and dropped as three are."""

import pytest

import minigrad as mg
from tests.minigrad.threads import in_threads

DEEP = 50_000


def chain(x):
    for _ in range(DEEP):
        x = x * 1.0
    return x


def saving_chain(x):
    y = x
    for _ in range(DEEP):
        y = y * x
    return y


def ladder(x):
    for _ in range(DEEP):
        x = x * 0.5
        x = x + x
    return x


def long_views(x):
    for _ in range(DEEP):
        x = x.view(1)
    return x


def fan(x):
    return sum((x * 1.0 for _ in range(DEEP)), x) / (DEEP + 1)


GRAPHS = {"chain": chain, "ladder": ladder, "views": long_views, "fan": fan}


@pytest.mark.parametrize("graph", [*GRAPHS.values(), saving_chain])
def test_deep_graphs_run_backward(graph, no_collector, ledger, leaf):
    x = leaf(1)
    y = graph(x)
    y.backward()
    expected = DEEP + 1 if graph is saving_chain else 1
    assert x.grad.item() == pytest.approx(expected, rel=1e-3)
    del y
    assert ledger.live == 8  # x and x.grad


@pytest.mark.parametrize("graph", [*GRAPHS.values(), saving_chain])
def test_deep_graphs_can_be_dropped_unused(graph, no_collector, ledger, leaf):
    x = leaf(1)
    y = graph(x)
    assert y.item() is not None
    del y
    assert ledger.live == 4
    assert x._accumulator() is None  # the last node is gone too


def test_a_deep_graph_is_built_run_and_dropped_in_a_thread_too(no_collector, ledger, leaf):
    x = leaf(1)
    done = in_threads(1, lambda: (saving_chain(x).backward(), saving_chain(x).detach())[0])
    assert done == [None]
    assert ledger.live == 8


def test_grad_through_a_deep_graph(leaf):
    x = leaf(1)
    assert mg.autograd.grad(ladder(x), x)[0].item() == 1
