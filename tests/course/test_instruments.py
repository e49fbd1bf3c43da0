"""What lessons 12 to 15 take from course/ does what its name says."""

import random
from bisect import bisect_left

import minigrad as mg
from course import kept_graphs, recording_cost, slips, stored_twin, tiny_gpu
from course.pictures import verdict, wrongness


def calm():
    return stored_twin.net(4, size=0.3)


def test_both_ways_have_one_gradient_and_the_reversible_one_less_memory():
    (most, right), (less, got) = (
        stored_twin.train(way, stored_twin.linear_net(4))
        for way in (stored_twin.through, stored_twin.reversible)
    )
    assert verdict(wrongness(got, right)) == "right" and less < most / 2


def test_a_default_net_starts_as_the_layers_do():
    mg.manual_seed(0)
    first = mg.nn.Linear(16, 32).weight
    assert mg.equal(stored_twin.linear_net(1)[0][0][0].weight, first)


def test_how_each_slip_ends():
    reversible = stored_twin.reversible
    ways = slips.written, slips.moved, slips.raw, slips.in_place, lambda chain: chain
    wanted = "RuntimeError", *["passes, WRONG"] * 2, "RuntimeError", "passes, right"
    assert tuple(slips.ending(way(reversible), calm) for way in ways) == wanted
    assert slips.said(slips.written(reversible), calm).startswith("one of the variables")


def test_a_kept_graph_answers_or_says_why_not():
    def write(a):
        a.mul_(2.0)

    assert kept_graphs.kept_graph(kept_graphs.square, lambda a: None) == [2.0, 2.0]
    ended = kept_graphs.kept_graph(kept_graphs.square, lambda a: mg.no_grad()(write)(a))
    assert ended.startswith("RuntimeError: one of the variables")


def test_a_share_below_a_hundredth_is_called_noise():
    assert recording_cost.said(14.6) == "~15 % measured"
    assert recording_cost.said(-3) == recording_cost.said(0.4) == "~0 % measured: lost in the noise"


def test_a_step_fits_to_the_byte():
    net, x, labels = mg.nn.Linear(4, 3), mg.ones(2, 4), mg.tensor([0, 1])
    least = mg.memory.budget(0).used  # with what other tests have left
    fits = lambda more: tiny_gpu.step_fits(net, x, labels, least + more)  # noqa: E731
    first = bisect_left(range(400), True, key=fits)
    assert 0 < first < 400 and fits(first) and not fits(first - 1)
    assert all(fits(more) is (more >= first) for more in random.sample(range(400), 6))
