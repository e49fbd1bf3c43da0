"""What a pool tells of its segments adds up to its own sums, whatever was asked of it."""

import random
from itertools import pairwise

from minigrad.gpu.pool import Pool


def sums(pool):
    """(bytes in use, bytes held) by the segments."""
    blocks = [block for segment in pool.segments() for block in segment]
    return sum(size for size, used in blocks if used), sum(size for size, _ in blocks)


def test_a_segment_is_cut_and_grows_together_again():
    pool = Pool(8192)
    whole = pool.allocate(2048)
    assert pool.segments() == [[(2048, True)]]
    pool.give_back(whole)
    first, second = pool.allocate(512), pool.allocate(700)
    assert pool.segments() == [[(512, True), (1024, True), (512, False)]]
    pool.give_back(first)
    assert pool.segments() == [[(512, False), (1024, True), (512, False)]]
    pool.give_back(second)
    assert pool.segments() == [[(2048, False)]]
    pool.free_all()
    assert pool.segments() == []


def test_whatever_is_asked_the_segments_add_up():
    pool, dice, held = Pool(1 << 20), random.Random(14), []
    for _ in range(2000):
        if held and dice.random() < 0.5:
            pool.give_back(held.pop(dice.randrange(len(held))))
        elif dice.random() < 0.05:
            pool.free_all()
        else:
            held.append(pool.allocate(dice.randint(1, 9000)))
        assert sums(pool) == (pool.used, pool.reserved)
        assert pool.used == sum(block.size for block in held)
        for row in pool.segments():
            assert all(a or b for (_, a), (_, b) in pairwise(row)), "two free neighbours"
