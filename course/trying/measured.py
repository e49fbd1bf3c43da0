"""The book of a call that is measured: which bytes are alive, and which were at the peak.

Only storages that were born during the call count, so that whatever else a notebook holds (`Out[]`,
a traceback, a list) never changes a figure.
"""

from _thread import _count as thread_count
from _thread import get_ident
from time import sleep
from weakref import ref

from course.trying import calls, collector, lines
from course.trying.forms import by
from course.trying.found import Found
from course.trying.witness import counts_products

LETS_GO = 0.001  # seconds


class Kind:
    """Storages of so many bytes and one shape that one line made: how many are alive now, were so
    at the peak, and at the end."""

    __slots__ = ("size", "now", "peak", "end")

    def __init__(self, size):
        self.size = size
        self.now = self.peak = self.end = 0


class Measured:
    """What `measure` gives. Bytes are those of the storages born during the call.

    value: what the function returned. peak: the most bytes at once. kept: bytes alive when it
    returned, its value included. line: the learner's line at the peak. matmuls, ops, visits: as
    memory.count_ops() counts them. curve: [(line, bytes)], the most on each line of the learner's,
    as they were reached; None stands for what the case itself does.
    """

    MOST_GROUPS = 4  # of storages that a table names

    def __init__(self):
        self.value = self.line = None
        self.live = self.peak = self.kept = 0
        self._matmuls = self.ops = self.visits = 0
        self._lines = {}  # the most bytes while each line was at work
        self.births = 0  # how many storages were born, those of no bytes among them
        # No book of those that have died: it would be memory that Python holds during the call.
        self._owners = {}  # weak reference of a Storage: its Kind
        self._kinds: dict = {}  # (line, shape, bytes) of a Storage: its Kind
        self._told = lambda owner: self._died(owner)  # a method would lead from there to here
        self._at_peak = False  # whether what is alive now is what was at the peak
        self._thread = get_ident()
        self._ended = False

    def at_peak(self, value=None, **sizes):
        """For a case to return: `value` or the peak, the learner's line there, what was alive,
        the curve, and the sizes that its budget names."""
        self._keep_peak()
        value = self.peak if value is None else value
        alive = self._groups("peak")
        return Found(value, self.line, self.curve, sizes, alive, "at the peak")

    def at_end(self, value=None, **sizes):
        """The same of the end: `value` or the bytes kept, what was alive then, and the sizes."""
        value = self.kept if value is None else value
        return Found(value, sizes=sizes, alive=self._groups("end"), when="at the end")

    def _groups(self, moment):
        """[(line, shape, how many, bytes)] of what was alive then, the most bytes first."""
        found = [(*key, getattr(kind, moment)) for key, kind in self._kinds.items()]
        rows = [(line, shape, n, n * size) for line, shape, size, n in found if n]
        return sorted(rows, key=lambda row: (-row[3], str(row)))[: self.MOST_GROUPS]

    def left(self):
        """Bytes still alive after the value is dropped: what the call left behind."""
        self.value = None
        collector.check()
        self.note_end()
        return self.live

    def note_end(self):
        """From now on `at_end` tells of what is alive at this moment."""
        for kind in self._kinds.values():
            kind.end = kind.now

    def end(self):
        """The call has: what a thread of the learner's lets go between calls was left all the same.

        A thread that is about to let go of its work does it first.
        """
        if thread_count():
            sleep(LETS_GO)
        self._ended = True
        collector.still()

    def _born(self, new):
        line = lines.now()
        size = new.array.nbytes  # as it is, whatever the storage says
        if self.live + size <= self.peak:
            self._keep_peak()
        kind = self._kinds.setdefault((line, by(new.array.shape), size), Kind(size))
        kind.now += 1
        self._owners[ref(new, self._told)] = kind
        self.births += 1
        self.live += size
        self._note(line)

    def _died(self, owner):
        if collector.is_at_work() or self._is_late():
            return
        self._keep_peak()
        kind = self._owners.pop(owner)
        kind.now -= 1
        self.live -= kind.size

    def _is_late(self):
        return self._ended and get_ident() != self._thread and calls.is_between()

    def _note(self, line):
        if self.live > self.peak:
            self.peak, self.line, self._at_peak = self.live, line, True
        self._lines[line] = max(self.live, self._lines.get(line, 0))

    def _keep_peak(self):
        """Before anything changes: what is alive at the peak."""
        if self._at_peak:
            self._at_peak = False
            for kind in list(self._kinds.values()):
                kind.peak = kind.now

    @property
    def matmuls(self):
        """How many products were made. Whose answer is to have few may make no others in secret."""
        counts_products()
        return self._matmuls

    @property
    def curve(self):
        return list(self._lines.items())
