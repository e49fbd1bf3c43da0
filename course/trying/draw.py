"""The numbers of a case come from a seed, and are counted: nobody can have guessed them.

`check()` draws with the seed "practice", the class grader with the instructor's. `ways` says how
many different draws there could have been.
"""

import math
import random

import numpy as np

PRACTICE = "practice"


class Draw:
    """Random choices of one case: the same for the same seed, on every machine."""

    def __init__(self, seed, exercise, case):
        self._random = random.Random(f"{seed}/{exercise}/{case}")
        self.ways = 1

    def int(self, low, high):
        """An integer from `low` to `high`, both included."""
        self.ways *= high - low + 1
        return self._random.randint(low, high)

    def ints(self, count, low, high):
        """`count` integers from `low` to `high`, both included."""
        return [self.int(low, high) for _ in range(count)]

    def choice(self, options):
        """One of `options`."""
        self.ways *= len(options)
        return self._random.choice(list(options))

    def some(self, options, count):
        """`count` different ones of `options`, in any order."""
        self.ways *= math.perm(len(options), count)
        return self._random.sample(list(options), count)

    def array(self, *shape):
        """A float32 array of `shape`: multiples of 1/64 between -1 and 1, none of them 0."""
        size = math.prod(shape)
        self.ways *= 128**size
        steps = _steps(self._random.getrandbits, size)
        return (steps.astype(np.float32) / 64).reshape(shape)


def _steps(bits, count):
    """`choice((-1, 1)) * randint(1, 64)`, as `random` draws them from its bits, but all at once.

    Each takes the first bits of a word, and another word if the very first of them is set.
    """
    words = np.concatenate([np.zeros(0, np.uint32), *_words(bits, 2 * count)])
    signs, steps = (words >> 25).astype(np.int32).reshape(-1, 2).T
    return (2 * (signs >> 5) - 1) * (steps + 1)


def _words(bits, count):
    """So many words whose first bit is not set, and not one drawn beyond them."""
    while count:
        drawn = np.frombuffer(bits(32 * count).to_bytes(4 * count, "little"), "<u4")
        found = drawn[drawn < 1 << 31]
        count -= len(found)
        yield found
