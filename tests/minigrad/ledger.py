"""A second ledger, counted by hand: for the `ledger` fixture, and for `run.py gpu`."""

import gc
import weakref

from minigrad import gpu
from minigrad.core import storage
from minigrad.core.observer import Births
from minigrad.gpu.pool import rounded


def collect():
    """A full collection; what survives it is not looked at again, so the next one is quick."""
    gc.collect()
    gc.freeze()


class Ledger:
    """Counts bytes the slow way: by walking every Storage born since it was installed."""

    def __init__(self):
        collect()
        self.born: weakref.WeakSet = weakref.WeakSet()
        self.start = storage.live

    def watching(self):
        """An observer: inside its block each birth is noted."""
        return Births(self.born.add)

    @property
    def live(self):
        """Bytes by the engine's own ledger, without what lived before."""
        return storage.live - self.start

    def check(self):
        """The engine's number is the sum over the living, and no byte has two owners."""
        alive = sorted((s.data_ptr(), s.data_ptr() + s.array.nbytes) for s in self.born)
        assert self.live == sum(end - begin for begin, end in alive)
        for (_, end), (begin, _) in zip(alive, alive[1:], strict=False):
            assert end <= begin, "two Storages count the same bytes"
        return self.live

    def in_steps(self):
        """What the pool must have handed out: each storage on the GPU in whole steps."""
        return sum(rounded(s.bytes) for s in self.born if type(s.array) in gpu.kinds)
