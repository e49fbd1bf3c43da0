"""Bytes of the case's own that an answer used as scratch: written, and then put back as they were.

Nobody counts them: they were there before. A caller's `.grad` full of zeros holds whatever one
likes from forward to backward, and is full of zeros again, or of the gradient. What is written and
stays is none: an update of a weight, a gradient that is added by hand.

So each state that is seen counts, and not the last alone: whoever was far from the first state of
the call and came back to it, by numbers that are nearly the same, had something there. And a
gradient that was there before changes as often as gradients come to it: what lay there before one
came may have been too small to be seen in their sum.
"""

from weakref import ref
from zlib import crc32

from course.trying.lines import identity

NEAR = 0.01  # of the way to the farthest state
INFINITY = float("inf")
PARTS = 7  # sums that stand for a state


class Lent:
    """What was written, in one call after another, into storages that somebody else had made."""

    def __init__(self):
        self._found: dict = {}  # identity of a storage: its History in this call
        self._back = self._often = 0  # bytes, of the calls before

    def begin(self):
        """A call begins, and no other is at work."""
        self._back, self._often = self.sizes
        self._found.clear()

    def writing(self, storage):
        """It will be written; what it holds the first time is noted."""
        known = self._found.get(identity(storage))
        if known is None or known.of() is not storage:
            self._found[identity(storage)] = History(storage)
        else:
            known.look(storage)

    def written(self, storage, is_gradient=False):
        known = self._found.get(identity(storage))
        if known is not None and known.of() is storage:
            known.look(storage)
            known.is_gradient |= is_gradient

    def of_gradient(self, storage):
        """Whether or not one came to it, it is a leaf's `.grad`."""
        known = self._found.get(identity(storage))
        if known is not None and known.of() is storage:
            known.is_gradient = True

    @property
    def sizes(self):
        """How many bytes were put back as they were before, and how many of gradients have
        changed more than once in a call."""
        all = self._found.values()
        back = sum(one.size for one in all if one.came_back)
        often = sum(one.size for one in all if one.is_gradient and one.changes > 1)
        return self._back + back, self._often + often


class History:
    """Of one storage: its first state, and what may be said of all others."""

    def __init__(self, storage):
        self.of, self.size = ref(storage), storage.array.nbytes
        self.first, self.now = _state(storage)
        self.farthest = 0.0
        self.came_back = self.is_gradient = False
        self.changes = 0

    def look(self, storage):
        numbers, now = _state(storage)
        if now == self.now:
            return
        far = sum(abs(a - b) for a, b in zip(numbers, self.first, strict=True))
        if not far < INFINITY:  # a nan, or an overflow
            far = INFINITY
        self.came_back |= far <= NEAR * self.farthest and far < INFINITY
        self.farthest = max(far, self.farthest)
        cleared = not self.changes and not numbers[-1]  # nothing of this call's has been there
        self.changes += not cleared
        self.now = now


def _state(storage):
    """(Sums of some of what it holds, and of all magnitudes, a number that says what it holds).

    NumPy's bytes may be counted meanwhile, so the sums are Python's.
    """
    array = getattr(storage.array, "host", storage.array)  # of a simulated card's
    plain = array.flags.c_contiguous
    bytes = array if plain else array.tobytes()
    if array.dtype.kind not in "fiub":
        return (0.0,) * (PARTS + 1), crc32(bytes)
    numbers = array.reshape(-1).tolist() if plain else array.ravel("K").tolist()
    sums = (float(sum(numbers[part::PARTS])) for part in range(PARTS))
    return (*sums, float(sum(map(abs, numbers)))), crc32(bytes)
