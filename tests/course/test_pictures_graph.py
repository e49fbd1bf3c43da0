"""A drawn graph says the same in text and in picture, of either engine, and holds no tensor."""

import itertools
import random
import weakref

import pytest

import minigrad as mg
from course.pictures.graph import MOST, NOWHERE, graph, nodes, state
from whoholds.step.magic import torch_installed


def net(engine):
    w = engine.full((2, 2), 0.5, requires_grad=True)
    p = w * 2.0 + (engine.ones(2, 2) @ w).tanh()
    return graph(p, "w is used twice", w=w)


WRITTEN = """\
w is used twice
 0  AddBackward0                -> 1, 2
 1  MulBackward0                -> 4, None
 2  TanhBackward0               -> 3
 3  MmBackward0                 -> None, 4
 4  AccumulateGrad of w (2, 2)"""


def test_the_text_has_every_node_once_and_every_edge():
    assert repr(net(mg)) == WRITTEN


def test_it_is_the_same_of_pytorch():
    if not torch_installed():
        pytest.skip("PyTorch is not installed")
    import torch

    assert repr(net(torch)) == WRITTEN


def test_a_node_tells_what_it_kept_what_is_freed_and_what_it_never_had():
    a = mg.ones(3, requires_grad=True)
    y = a * mg.ones(3)
    assert (state(y.grad_fn, "other"), state(y.grad_fn, "self")) == ("kept", "never kept")
    y.sum().backward()
    assert (state(y.grad_fn, "other"), state(y.grad_fn, "self")) == ("freed", "never kept")


def test_a_node_will_do():
    y = mg.ones(3, requires_grad=True).tanh()
    assert repr(graph(y.grad_fn)) == repr(graph(y))


def test_a_leaf_without_a_name_is_a_leaf():
    text = repr(graph(-mg.ones(3, requires_grad=True), other=mg.ones(3)))
    assert text.endswith("1  AccumulateGrad of a leaf (3,)")


def test_it_holds_neither_tensors_nor_nodes():
    w = mg.ones(3, requires_grad=True)
    y = w.tanh()
    watches = [weakref.ref(w), weakref.ref(y), weakref.ref(y.grad_fn)]
    shown = graph(y, w=w)
    del w, y
    assert [watch() for watch in watches] == [None] * 3 and "TanhBackward0" in repr(shown)


def test_what_cannot_be_drawn_is_a_sentence():
    with pytest.raises(ValueError, match="has no graph: no operation on it was recorded"):
        graph(mg.ones(3))
    y = mg.ones(3, requires_grad=True)
    for _ in range(MOST):
        y = -y
    with pytest.raises(ValueError, match=f"of {MOST + 1} nodes; draw a part of at most {MOST}"):
        graph(y)


def test_of_many_paths_each_node_is_listed_once():
    y = mg.ones(3, requires_grad=True)
    for _ in range(40):
        y = y + y
    found = nodes(y.grad_fn)
    assert len(found) == len(set(found)) == 41 and found[0] is y.grad_fn
    assert found[-1].variable is not None


def random_graph(seed):
    rng = random.Random(seed)
    values = [mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True), mg.ones(2)]
    for _ in range(rng.randint(1, 12)):
        a, b = rng.choice(values), rng.choice(values)
        values.append(rng.choice([lambda a, b: a + b, lambda a, b: a * b, lambda a, b: -a])(a, b))
    return values[-1] + values[0]


@pytest.mark.parametrize("seed", range(60))
def test_each_node_stands_below_those_that_lead_to_it_and_beside_no_other(seed):
    shown = graph(random_graph(seed))
    places = shown.places
    for start, (_, targets) in enumerate(shown.rows):
        for edge, target in enumerate(targets):
            end = (start, edge) if target is None else target
            assert places[start][1] < places[end][1] and (target is None or start < target)
    for level in {y for _, y in places.values()}:
        across = sorted(x for x, y in places.values() if y == level)
        assert all(b - a > 0.999 for a, b in itertools.pairwise(across))


def test_a_long_title_is_not_cut_off():
    figure = pytest.importorskip("matplotlib.figure").Figure
    shown = graph(-mg.ones(3, requires_grad=True), "a title much wider than so small a graph")
    page = figure(figsize=shown.size, layout="constrained")
    shown.draw(page)
    page.draw_without_rendering()
    title = next(t for t in page.findobj(lambda a: getattr(a, "get_text", str)() == shown.title))
    assert title.get_window_extent().x1 <= page.bbox.x1


@pytest.mark.parametrize("seed", range(5))
def test_the_picture_has_each_label_and_an_arrow_for_each_edge(seed):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    shown = graph(random_graph(seed), "title")
    shown.draw(figure)
    texts = [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]
    edges = [target for _, targets in shown.rows for target in targets]
    labels = [label for label, _ in shown.rows] + [NOWHERE] * edges.count(None)
    assert sorted(text for text in texts if text) == sorted(labels)
    assert texts.count("") == len(edges)


def test_two_pictures_are_the_same_bytes_and_have_no_background():
    pytest.importorskip("matplotlib")
    assert net(mg)._repr_png_() == net(mg)._repr_png_()
