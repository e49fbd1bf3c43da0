"""Known ways to checkpoint a step of many blocks, for the map of lesson 10.

The build measures them (`course/build/golf.py`); they are answers, and no learner gets them.
"""

from course.cases.golf_10 import stretch
from minigrad.utils.checkpoint import checkpoint


def in_segments(*lengths):
    """A way to play: segments of these lengths, of which the last has no checkpoint."""

    def way(h, blocks):
        first = 0
        for length in lengths:
            run = stretch(blocks[first : first + length])
            first += length
            last = first >= len(blocks)
            h = run(h) if last else checkpoint(run, h, use_reentrant=False)
        return h

    return way


def thrifty(h, blocks):
    if len(blocks) == 1:
        return blocks[0](h)
    middle = len(blocks) // 2
    h = checkpoint(lambda h: thrifty(h, blocks[:middle]), h, use_reentrant=False)
    return thrifty(h, blocks[middle:])


WAYS = {
    "memory_golf": {
        "no checkpoint": lambda x, blocks: stretch(blocks)(x),
        "all but the last block": in_segments(*[1] * 36),
        "every 9, last bare": in_segments(*[9] * 4),
        "every 4, last bare": in_segments(*[4] * 9),
        "ours, last bare": in_segments(6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1),
        "thrifty": thrifty,
    }
}
