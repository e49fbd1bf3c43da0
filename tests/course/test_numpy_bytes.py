"""What counts numpy's bytes: whose they are, until they are freed; and that it leaves nothing."""

import gc
import os
import random

import numpy as np

from course import jitter
from course.trying.numpy_bytes import NumpyBytes

SEED = int(os.environ["MINIGRAD_MOVED"])
SIZES = 1, 24, 4096, 100_000


def left_by(use, times=40) -> int:
    """How many objects there are more after many uses, of which the first few are not counted."""
    use()
    gc.unfreeze()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(times):
        use()
    gc.collect()
    return len(gc.get_objects()) - before


def test_each_byte_is_in_the_count_around_it_until_it_is_freed():
    """A random program of nested counts, beside a plain list of who made what."""
    draw = random.Random(SEED)
    counts, arrays, expected = [NumpyBytes()], [], {}
    for _ in range(200):
        if draw.random() < 0.3 and arrays:
            array, owner = arrays.pop(draw.randrange(len(arrays)))
            expected[owner] -= array.nbytes
            del array
        depth = draw.randint(0, 2)
        inside = [NumpyBytes() for _ in range(depth)]
        counts += inside
        for count in inside:
            count.__enter__()
        array = np.empty(draw.choice(SIZES), np.uint8)
        for count in reversed(inside):
            count.__exit__()
        owner = inside[-1] if inside else None
        arrays.append((array, owner))
        expected[owner] = expected.get(owner, 0) + array.nbytes
        assert [c.live for c in counts] == [expected.get(c, 0) for c in counts], f"seed {SEED}"


def test_an_array_that_grows_stays_where_it_was():
    with NumpyBytes() as first:
        array = np.zeros(10, np.uint8)
    with NumpyBytes() as second:
        array.resize(1000, refcheck=False)
    assert (first.live, first.peak, second.peak) == (1000, 1000, 0)
    del array
    assert first.live == 0


def test_sorts_free_what_they_never_had():
    with NumpyBytes() as bytes:
        for kind in ("quicksort", "stable"):
            np.sort(np.ones(9), kind=kind), np.argsort(np.ones(9), kind=kind)
            np.partition(np.ones(9), 3)
    assert bytes.live == 0


def test_many_are_freed_at_once_while_an_error_is_on_its_way():
    draw = random.Random(SEED)
    sizes = [draw.choice(SIZES) for _ in range(3000)]
    with NumpyBytes() as bytes:
        arrays = [np.empty(size, np.uint8) for size in sizes]
        assert bytes.live == sum(sizes)
        draw.shuffle(arrays)
        try:
            np.ones(3) + np.ones(4)
        except ValueError:
            del arrays[1:]
        assert bytes.live == arrays[0].nbytes
        more = [np.empty(size, np.uint8) for size in sizes]
        assert bytes.live == sum(sizes) + arrays[0].nbytes and len(more) == len(sizes)


def test_nothing_is_left_of_a_count():
    def use():
        with NumpyBytes():
            np.ones(3)

    assert left_by(use) < 40


def test_nothing_is_left_of_a_jitter():
    def use():
        with jitter.on("1"):
            np.exp(np.ones(3))

    assert left_by(use) < 40
