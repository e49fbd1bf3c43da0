"""grad() of inputs that were not used, by every way of asking; and copies of nothing."""

import itertools
import warnings

import minigrad

ASKED = list(itertools.product((None, True, False), *[(False, True)] * 4, ("x", "u", "xu")))
TIMES = (2, -2), (2, -1), (-1, 2), (3, 2, -1), (-3, 2), (0, -1), (0, 2), (2, -1, 1, 0), (-1, 1, -1)
SHAPES = (2, 0), (0, 2), (0, 0)


def grad(mg, unused, zeros, create_graph, batched, only, which):
    given = {"x": mg.ones(2, requires_grad=True), "u": mg.ones(1, requires_grad=True)}
    inputs, seeds = [given[name] for name in which], mg.ones(*[3] * batched, 2)
    options = {"allow_unused": unused, "materialize_grads": zeros, "only_inputs": only}
    options |= {"create_graph": create_graph, "is_grads_batched": batched}
    found = mg.autograd.grad(given["x"] ** 2, inputs, seeds, **options)
    return [g if g is None else (tuple(g.shape), g.requires_grad, g.tolist()) for g in found]


def copies(mg, method, shape, times):
    x = mg.zeros(shape, requires_grad=True)
    getattr(x, method)(times).sum().backward()
    return tuple(x.grad.shape)


def said(mg, function, *given):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = function(mg, *given)
        except Exception as error:
            found = type(error).__name__, str(error)
    return found, [(str(one.message), one.category) for one in heard]


def test_gradients_that_never_came_are_pytorchs(torch):
    for asked in ASKED:
        assert said(minigrad, grad, *asked) == said(torch, grad, *asked), asked


def test_nothing_is_reshaped_to_fewer_copies_than_none(torch):
    for asked in itertools.product(("repeat", "tile"), SHAPES, TIMES):
        assert said(minigrad, copies, *asked) == said(torch, copies, *asked), asked
