"""The meters of a measured call, while nothing is measured: what they tell is dropped.

A learner's code can tell whether meters are at work: by the weak references to a storage, by what
Python allocates for each birth, by the context that NumPy's handler stands in, by the clock. Were
they there in measured calls alone, an answer could be thrifty in these and nowhere else. So they
are at work in all of a case that is witnessed, and tell nobody what is asked of this call.
"""

from contextlib import ExitStack, contextmanager

from course.trying import settled, switches, witness
from course.trying.measured import Measured
from minigrad import memory
from minigrad.core.observer import Births

_open: list = []  # the innermost of those at work last


class Unasked:
    """A context manager for one case."""

    def __enter__(self):
        self._begin()
        return self

    def __exit__(self, *error):
        self._end()

    def _begin(self):
        """As many of each, and in the same order, as `measure` has."""
        self._meters = ExitStack()
        self._renew()
        self._meters.enter_context(memory.count_ops())
        outside = self._meters.enter_context(witness.Outside(asked=False))
        self._meters.enter_context(Births(lambda new: self._measured._born(new)))
        self._meters.enter_context(Births(lambda new: outside.born(self._measured.live)))
        self._settings = settled.Settings(), switches.Switches()
        witness.heard.append(self._renew)
        _open.append(self)

    def _renew(self):
        """Each call has an empty book, as a measured one has."""
        self._measured = Measured()

    def _end(self):
        _open.remove(self)
        witness.heard.remove(self._renew)
        del self._settings
        self._meters.close()


@contextmanager
def paused():
    """While the block runs, others are in their place: those of a measured call."""
    resting = _open[-1:]
    for one in resting:
        one._end()
    try:
        yield
    finally:
        for one in resting:
            one._begin()
