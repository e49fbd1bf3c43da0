"""What a reversible chain holds of its weights' gradients: one block's, whatever the depth."""

import gc

import pytest

import minigrad as mg
from tests.minigrad.test_reversible_bytes import KINDS, B, D, network

DEPTHS = [2, 8, 64]


def step(net):
    """(bytes at the peak of a training step beyond what was alive before it, bytes it left)."""
    gc.collect()
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    net(mg.zeros(B, D)).backward(mg.ones(B, D))
    return mg.max_memory_allocated() - before, mg.memory_allocated() - before


@pytest.mark.parametrize("kind", KINDS)
def test_accumulating_needs_the_same_bytes_at_every_depth(kind):
    peaks = {}
    for depth in DEPTHS:
        net = network(depth, **kind)
        step(net)  # from here on every `.grad` is there
        peaks[depth], left = step(net)
        assert left == 0
    assert len(set(peaks.values())) == 1, peaks


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_step_adds_the_grads_that_it_leaves_and_no_more(kind):
    """Each depth but the least: in a chain of two blocks the peak comes before most gradients."""
    more = {}
    for depth in DEPTHS[1:]:
        peak, left = step(network(depth, **kind))
        more[depth] = peak - left
        assert left == sum(p.nbytes for p in network(depth).parameters())
    assert len(set(more.values())) == 1, more
