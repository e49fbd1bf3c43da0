"""Reversible chains on zeros, integers and nothing, and with a weight frozen between the passes."""

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.reversible import ReversibleBlock, ReversibleSequential

KINDS = [{}, {"trimmed": True}, {"baton": True}]


def chain(options, depth=8):
    def part():
        return nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    mg.manual_seed(0)
    return ReversibleSequential(*[ReversibleBlock(part(), part()) for _ in range(depth)], **options)


def gradients(net, y):
    net.zero_grad()
    y.sum().backward()
    return [p.grad.tolist() for p in net.parameters()]


@pytest.mark.parametrize("options", KINDS)
def test_an_input_of_zeros_is_an_input(options):
    """Rounding leaves 1e-7 where 0 was: not more than a fraction of it, but no error either."""
    net, x = chain(options), mg.zeros(3, 8)
    found = gradients(net, net(x))
    a, b = x.chunk(2, -1)
    for block in net:
        a, b = block(a, b)
    for one, other in zip(found, gradients(net, mg.cat([a, b], -1)), strict=True):
        assert mg.tensor(one).view(-1).tolist() == pytest.approx(
            mg.tensor(other).view(-1).tolist(), rel=1e-4, abs=1e-4
        )


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("x", [lambda: mg.arange(24).view(3, 8), lambda: mg.zeros(3, 0)])
def test_integers_and_no_column_are_refused(options, x):
    with pytest.raises(ValueError, match="reversible chain"):
        chain(options)(x())


@pytest.mark.parametrize("options", KINDS)
def test_a_weight_frozen_before_backward_is_no_weight_silently_untrained(options):
    net = chain(options)
    y = net(mg.rand(3, 8)).sum()
    net.requires_grad_(False)
    with pytest.raises(RuntimeError, match="was changed between forward and backward"):
        y.backward()
