"""The numbers of a case come from a seed, and are counted: nobody can have guessed them.

`check()` draws with the seed "practice", the class grader with the instructor's. `ways` says how
many different draws there could have been.
"""

import math
import random
import struct

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
        steps = np.fromiter(_steps(self._random.getrandbits, size), np.float32, size)
        return (steps / 64).reshape(shape)


def _steps(bits, size):
    """`choice((-1, 1)) * randint(1, 64)`, as `random` draws them from its bits, but sooner.

    Each takes the first bits of a word, and another word if the very first of them is set. None is
    drawn beyond them, and NumPy's bytes, which may be counted, hold none.
    """
    words: list = []
    while count := 2 * size - len(words):
        drawn = struct.unpack(f"<{count}I", bits(32 * count).to_bytes(4 * count, "little"))
        words += [word for word in drawn if word < 1 << 31]
    for sign, step in zip(words[::2], words[1::2], strict=True):
        yield (2 * (sign >> 30) - 1) * ((step >> 25) + 1)
