"""The instruments of lessons 10 and 11: what a step costs, and its bytes along the way."""

import pytest

import minigrad as mg
from course.bytes_along import Price, aligned, bytes_along, mark, price, table, watch
from course.chains import all_at_once, chain_of, recorded, reversible_sequential
from course.coupled import coupled_blocks
from course.residual import net, relu, residual_blocks

X = mg.arange(512.0).view(64, 8) / 512


def tooth(run, h):
    return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=True)


def test_a_price_counts_the_input_and_nothing_that_was_there_before():
    blocks, other = residual_blocks(6), mg.zeros(1000)
    assert price(net(blocks), X) == Price(held=13, highest=16, products=36)
    assert str(price(net(blocks, 2, tooth), X)) == "4 U held, 11 U highest, 48 products"
    assert other.nbytes and price(net(blocks), X).held == 13  # a second time: the same


def test_a_block_adds_to_its_input():
    (block,) = residual_blocks(1, act=lambda u: u * 0.0)
    assert block(X).tolist() == X.tolist()


def test_the_points_of_a_step_are_those_of_the_lesson():
    points = bytes_along(net(residual_blocks(2), 1, tooth), X)
    assert [label for label, _ in points] == "x f1 f2 seed r2 b2 r1 b1 end".split()
    assert [size / X.nbytes for _, size in points] == [1, 2, 3, 4, 6, 6, 6, 6, 3]


def test_marks_outside_a_step_are_no_points_and_hold_nothing():
    before = mg.memory_allocated()
    h = mg.ones(3, requires_grad=True) * 2.0
    mark("before")
    watch(1, h)
    assert h.grad_fn._hooks is None
    del h
    assert mg.memory_allocated() == before
    assert [label for label, _ in bytes_along(lambda x: x * 1.0, X)] == ["x", "seed", "end"]


def test_a_step_that_fails_is_over():
    with pytest.raises(ZeroDivisionError):
        bytes_along(lambda x: 1 / 0, X)
    h = mg.ones(3, requires_grad=True) * 2.0
    watch(1, h)
    assert h.grad_fn._hooks is None


def test_a_table_waits_where_a_step_has_no_such_moment():
    steps = {"short": [("x", 8), ("end", 16)], "long": [("x", 8), ("r1", 4), ("end", 20)]}
    assert aligned(steps)["short"] == [("x", 8), ("r1", 8), ("end", 16)]
    assert table(steps, 8).splitlines() == ["      x  r1 end", "short 1   1   2", "long  1 0.5 2.5"]


def test_gradients_of_weights_in_flight_are_in_the_highest_point():
    data = mg.arange(2048.0).view(64, 32) / 2048 - 0.5
    few, many = coupled_blocks(4), coupled_blocks(16)
    assert price(chain_of(few), data).highest == price(chain_of(many), data).highest == 10
    more = price(all_at_once(many), data).highest - price(all_at_once(few), data).highest
    assert more == 12  # 1 U a block


@pytest.mark.parametrize("way", [chain_of, all_at_once])
def test_both_chains_give_the_gradients_of_the_recorded_net(way):
    data, blocks, found = mg.arange(2048.0).view(64, 32) / 2048 - 0.5, coupled_blocks(4), []
    w = blocks[1][0].a
    for make in (recorded, way):
        w.grad.zero_()
        make(blocks)(data.clone().requires_grad_()).sum().backward()
        found.append(w.grad.clone())
    assert mg.allclose(*found, rtol=1e-3, atol=1e-4)


def test_a_coupled_block_does_the_work_of_two_residual_ones():
    data = mg.zeros(64, 32)
    plain = price(net(residual_blocks(4, 32, 32, relu)), data).products
    assert price(recorded(coupled_blocks(4)), data).products == 2 * plain  # F and G
    assert len(list(reversible_sequential(4).parameters())) == 4 * 8
