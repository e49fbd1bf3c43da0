"""The general way and the generated one are one engine: the same to the last bit and event."""

import contextlib
import os
import warnings

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad.core import modes
from minigrad.core.observer import EVENTS, overrides
from tests.minigrad.any_program import STEPS, program
from tests.minigrad.rules import RULES, uses
from tests.minigrad.told import Everything, Told
from tests.twin.programs import SHAPES

ON_GPU = True  # too: see conftest.py
pytestmark = pytest.mark.usefixtures("no_collector")  # what others left would die under way

PROGRAMS = int(os.environ.get("MINIGRAD_BOTH_WAYS", 120))
GENERATED, GENERAL = 0, 1  # reasons to go the general way


@contextlib.contextmanager
def way(special):
    before, modes.packing = modes.packing, special
    try:
        yield
    finally:
        modes.packing = before


def told(run, special, watched) -> list:
    """What run(report) says of itself on one way, with every event if it is watched."""
    out = Told()
    with way(special), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Everything(out) if watched else contextlib.nullcontext():
            run(out)
        out.live("in the end")
    return out.entries


def compare(run) -> None:
    """Run it on both ways, watched and alone."""
    for watched in (False, True):
        one, other = (told(run, special, watched) for special in (GENERATED, GENERAL))
        for place, (here, there) in enumerate(zip(one, other, strict=False)):
            assert here == there, f"entry {place}, {'watched' if watched else 'alone'}"
        assert len(one) == len(other)


# -- each rule --


def use(function, leaves):
    """A use of a rule and a backward twice over its graph, as run(report)."""

    def run(out):
        given = [x.detach().clone().requires_grad_(x.requires_grad) for x in leaves]
        y = function(*given)
        out("result", y)
        out.graph("graph", y)
        out.peak("forward")
        seed = mg.arange(y.numel(), dtype=y.dtype).reshape(y.shape)
        for retain in (True, False):
            y.backward(seed, retain_graph=retain)
            out("gradients", [x._grad for x in given])
            out.graph("after backward", y)
            out.live("backward")
            out.peak("backward")
        out.error("once more", y.backward, seed)
        for x in given:
            if x.requires_grad:
                out("alone", mg.autograd.grad(function(*given), x, seed, allow_unused=True))
        with mg.no_grad():
            out("not recorded", function(*given))

    return run


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_the_same_on_both_ways(name):
    for function, leaves in uses(name):
        compare(use(function, leaves))


# -- random programs --

numbers = st.integers(0, 999)
steps = st.lists(st.tuples(st.sampled_from(STEPS), numbers, numbers), min_size=4, max_size=14)
shapes = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)


@seed(int(os.environ["MINIGRAD_MOVED"]))
@settings(
    max_examples=PROGRAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
@given(shapes=shapes, steps=steps)
def test_a_random_program_is_the_same_on_both_ways(shapes, steps):
    compare(program(mg, shapes, steps))


def test_the_observer_that_listens_hears_every_event():
    assert all(overrides(Everything(None), event) for event in EVENTS)
