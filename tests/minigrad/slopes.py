"""What the gradients of every rule must be: for test_gradients.py, and for `run.py gpu` as well."""

import minigrad as mg
from minigrad.autograd import gradcheck
from tests.minigrad.rules import uses


def slope(name):
    """Each gradient of the rule agrees with the difference quotient."""
    for function, leaves in uses(name):
        assert gradcheck(function, leaves)


def shape_and_dtype(name):
    """A gradient looks like its leaf."""
    for function, leaves in uses(name):
        out = function(*leaves)
        wanted = [x for x in leaves if x.requires_grad]
        for x, g in zip(
            wanted, mg.autograd.grad(out, wanted, mg.ones_like(out), allow_unused=True), strict=True
        ):
            assert g is None or (g.shape, g.dtype) == (x.shape, x.dtype)


def alone_and_among_all(name):
    """Asked for alone, a gradient is to the bit what it is among all."""
    for function, leaves in uses(name):
        wanted = [x for x in leaves if x.requires_grad]
        inner = [x * 1.0 for x in wanted]  # so that the walk could go on at each of them
        given = iter(inner)
        out = function(*[next(given) if x.requires_grad else x for x in leaves])
        seed = mg.ones_like(out)
        everything = mg.autograd.grad(out, inner, seed, retain_graph=True, allow_unused=True)
        for x, among_all in zip(inner, everything, strict=True):
            alone = mg.autograd.grad(out, x, seed, retain_graph=True, allow_unused=True)[0]
            assert (alone is None) is (among_all is None)
            assert alone is None or alone.tolist() == among_all.tolist()
