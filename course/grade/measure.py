"""What a call of the learner's function cost: bytes at its peak, bytes kept, products, nodes.

Only storages that were born during the call count, so that whatever else a notebook holds (`Out[]`,
a traceback, a list) never changes a figure. The collector rests until the case is over: a ring
counts as kept.
"""

import weakref

from minigrad import memory, storage
from minigrad.trace.seams import Seams

from . import lines
from .run import Found, collector_at_rest, is_stub


class Measured:
    """What `measure` gives. Bytes are those of the storages born during the call.

    value: what the function returned. peak: the most bytes at once. kept: bytes alive when it
    returned, its value included. line: the learner's line at the peak. matmuls, ops, visits: as
    memory.count_ops() counts them. curve: [(line, bytes)], the most on each line of the learner's,
    as they were reached; None stands for what the case itself does.
    """

    def __init__(self):
        self.value = self.line = None
        self.live = self.peak = self.kept = 0
        self.matmuls = self.ops = self.visits = 0
        self._lines = {}  # the most bytes while each line was at work
        self._owners = {}  # weak reference of a Storage: its bytes

    def at_peak(self, value=None, **sizes):
        """For a case to return: `value` or the peak, the learner's line there, curve and sizes."""
        return Found(self.peak if value is None else value, self.line, self.curve, sizes)

    def left(self):
        """Bytes still alive after the value is dropped: what the call left behind."""
        self.value = None
        return self.live

    def _born(self, original):
        def inside(array):
            new = original(array)
            self._owners[weakref.ref(new, self._died)] = new.bytes
            self.live += new.bytes
            self._note()
            return new

        return inside

    def _died(self, owner):
        self.live -= self._owners.pop(owner)

    def _note(self):
        line = lines.now()
        if self.live > self.peak:
            self.peak, self.line = self.live, line
        self._lines[line] = max(self.live, self._lines.get(line, 0))

    @property
    def curve(self):
        return list(self._lines.items())


def measure(function, *arguments, **named):
    """Call the function and measure it; an error of its own passes through."""
    measured, seams = Measured(), Seams()
    with collector_at_rest(), memory.count_ops() as counted:
        seams.everywhere({storage.book: measured._born})
        try:
            measured.value = function(*arguments, **named)
        finally:
            seams.restore()
        measured.kept = measured.live
    measured.matmuls, measured.ops = counted.matmuls, counted.ops
    measured.visits = counted.visits
    return measured


def beside(value, **sizes):
    """`value` for a case to return, and the sizes that its budget names."""
    return Found(value, sizes=sizes)


def error_of(function, *arguments, **named):
    """The first line of the error that a call ends in, as "RuntimeError: ...", or "no error".

    That of a stub passes through: the case is then "not written yet".
    """
    try:
        function(*arguments, **named)
    except Exception as error:
        if is_stub(error):
            raise
        first = (str(error).splitlines() or [""])[0]
        return f"{type(error).__name__}: {first}"
    return "no error"
