"""What a reversible chain holds of its weights' gradients: one block's, whatever the depth."""

import gc

import pytest

import minigrad as mg
from minigrad.reversible import ReversibleBlock, ReversibleSequential
from tests.minigrad.test_reversible import KINDS, MLP, B, D, gradients, network, stored

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


@pytest.mark.parametrize("kind", KINDS)
def test_a_walk_for_one_weight_accumulates_into_no_other(kind):
    net = network(3, **kind)
    wanted = net[1].F.W1
    net(mg.zeros(B, D) + 1).sum().backward(inputs=[wanted])
    assert [p is wanted for p in net.parameters()] == [p.grad is not None for p in net.parameters()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("post", [False, True])
def test_a_weight_of_two_blocks_with_a_hook_gets_its_whole_gradient_at_once(kind, post):
    one, seen = MLP(), []
    blocks = [ReversibleBlock(one, MLP()), ReversibleBlock(MLP(), one)]
    net = ReversibleSequential(*blocks, **kind)
    x, dy = mg.randn(B, D, requires_grad=True), mg.ones(B, D)
    whole = gradients(net, lambda x: stored(net, x), x, dy)[2]
    if post:
        one.W1.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    else:
        one.W1.register_hook(lambda grad: seen.append(grad.clone()))
    gradients(net, net, x, dy)
    assert len(seen) == 1 and mg.allclose(seen[0], whole, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_that_has_a_grad_and_is_also_used_outside_gets_the_sum(kind):
    net = network(3, **kind)
    weight, x = net[1].G.W1, mg.randn(B, D)
    weight.grad = mg.ones_like(weight)
    (net(x).sum() + (weight * 2.0).sum()).backward()
    found = weight.grad
    net.zero_grad()
    net(x).sum().backward()
    assert mg.allclose(found, weight.grad + 3.0)


def test_what_is_refused_adds_no_gradient_of_the_block_that_was_wrong():
    """The blocks behind it came back as they were; theirs are right, and stay, as in PyTorch."""
    net = network(3, MLP)
    y = net(mg.zeros(B, D) + 1)
    right = network(3, MLP)
    right(mg.zeros(B, D) + 1).sum().backward()
    scaled = net[1].F
    forward = scaled.forward
    scaled.forward = lambda u: forward(u) * 2.0
    with pytest.raises(RuntimeError, match="came back with a relative error"):
        y.sum().backward()
    for block in net[0], net[1]:
        assert all(p.grad is None for p in block.parameters())
    for mine, theirs in zip(net[2].parameters(), right[2].parameters(), strict=True):
        assert mg.allclose(mine.grad, theirs.grad, rtol=1e-3, atol=1e-4)
