"""What a case's run did, beside the value that it gave: for the class's grader, which compares.

A cost is told by a call, and what the same call gave or left is here: the answers and errors, the
gradients that came to tensors of the case's, what is in them at the end, and the gradients that a
walk through the measured value gives once the case is over. Whoever computes nothing while it is
measured has others than the reference. And NumPy's own bytes, which the ledger need not have seen.
"""

import itertools
import sys
import tracemalloc
from collections import Counter
from contextlib import contextmanager
from threading import get_ident
from weakref import ref

import numpy as np

from course.trying import lines
from course.trying.behind import leaves_behind, slopes, tensors_in
from course.trying.digests import (
    MOST,
    digest,
    digest_found,
    digest_of,
    digest_seen,
    parts_of,
    seen,
)
from course.trying.lent import Lent
from course.trying.lines import identity
from course.trying.living import Living
from course.trying.numpy_bytes import NumpyBytes, is_engines
from course.trying.switches import Switches
from minigrad import Tensor, memory_allocated
from minigrad.core.observer import Observer
from minigrad.core.storage import owner
from minigrad.memory.workspace import ARRAYS

_size_of = vars(np.ndarray)["nbytes"].__get__
_fields = vars(Tensor)["__dict__"].__get__
QUIET = dict.fromkeys(np.geterr(), "ignore")
STAYS = 4  # births of storages, after each of which NumPy has bytes of somebody else's
# In the names of rules that are made of products.
PRODUCTS = (
    "Convolution",
    "Baddbmm",
    "MvBackward",
    "DotBackward",
    "ScaledDotProduct",
    "Cdist",
    "EuclideanDist",
)
_counting: list = []  # NumpyBytes of the measured calls at work
_outsides: list = []  # the measured calls at work, if a witness is
_open: list = []  # the witness of the case at work, if there is one
# Bytes of Python's that each living storage takes at least: with its array and the meters' books.
ITSELF = 512
heard: list = []  # functions that are called as a learner's call begins
_measured = [0]  # calls, by this process so far


class Witness(Observer):
    """A context manager for one case: `told()` afterwards, as plain data."""

    def __init__(self):
        self._theirs = Living()  # what the learner's lines, or any while a backward walks, made
        self._walks = 0  # backwards at work
        # As one of the case's own began, in which a learner's rules run.
        self._switches: Switches | None = None
        self._calls: list = []  # of the learner's, or measured, at work: bytes alive as each began
        self._seen: dict = {}  # identity of a tensor: (weak reference, number)
        self._numbers = itertools.count()
        # (number of a leaf, whether a call was at work): a digest of all gradients that came to it.
        self._came: dict = {}
        self._given: dict = {}  # number of a leaf that the case has given: weak reference
        self._measured: list = []  # what was measured, for as long as the case lasts
        self._thread = get_ident()
        self._peaks: list = []  # of NumPy's bytes, before the write at work
        self.answers: list = []
        self.left: list = []  # digests of what the tensors that were given hold at the end
        self.grads: list = []  # at the end of each call, of the gradients of all given so far
        self.costs: list = []  # of each measured call: bytes at the peak, products
        self.holds: list = []  # of each call of the learner's: by how many bytes more are alive
        self.outside: list = []  # of each measured call: bytes at the peak, bytes at its end
        # Of each: the most that NumPy had beside the ledger for a while, and at all.
        self._beside: list = []
        self.python: list = []  # the same, of all that Python has allocated, NumPy's with it
        self._born = Living()  # storages that the run has made
        self._strays = Living()  # of these, what no call of the learner's has made
        self._beyond = Living(), Living()  # storages in none of these books
        self._windows = Living()  # arrays that the lines see
        self._visited: type | None = None  # the kind of node that runs
        self.uncounted = 0  # rules that are made of products, and that no count of them knows
        self._before = 0  # of these, up to the last measured call
        self.counts = False  # whether the case asks for a count of products
        self.taken = 0  # bytes that the learner's lines took out, or wrote where they are seen
        self._lent = Lent()  # to the run, as scratch
        self._from: Counter = Counter()  # bytes that other lines did: number of the place in them

    def __enter__(self):
        _open.append(self)
        return super().__enter__()

    def __exit__(self, *error):
        _open.remove(self)
        return super().__exit__(*error)

    def born(self, storage):
        settle()
        whole = owner(storage.array)
        others = (
            _counting
            and type(whole) is np.ndarray
            and whole.nbytes
            and not is_engines(whole, _counting)
        )
        books = self._beyond  # as many as there are otherwise: a learner may count the references
        if not others:  # else somebody has had the array before
            see_peaks()
            is_stray = not self._calls and not self._walks and lines.anothers(2)
            books = self._born, self._strays if is_stray else self._beyond[1]
        for book in books:
            book.add(storage)

    def died(self, storage):
        if self._born.has(storage):
            see_peaks()

    @property
    def living(self):
        """How many storages that the run has made are alive."""
        return len(self._born)

    def forget_strays(self):
        """A measured call begins: what a learner's code made while none of their calls ran was
        there before, though it was made in the case. Python came upon that code where it looked
        for something."""
        self._born.remove(self._strays)
        self._strays.clear()

    def read(self, array):
        settle()
        self._take(array.nbytes)
        if not array.size:
            self._windows.add(owner(array))

    def _take(self, size):
        """So many bytes may be seen from now on."""
        if lines.anothers() or get_ident() != self._thread:  # which only a learner begins
            self.taken += size
        elif size:
            self._from[lines.asking()] += size

    def writing(self, tensor):
        self._peaks = [(bytes.peak, bytes.lasting) for bytes in _counting]
        self.moving(tensor)

    def written(self, tensor):
        for bytes, before in zip(_counting, self._peaks, strict=True):
            bytes.back(before)
        self.moved(tensor)
        self._take(numpy_tells())

    def moving(self, tensor):
        if self._is_lent(tensor):
            with unpeaked():
                self._lent.writing(tensor._storage.owner)

    def moved(self, tensor):
        self._take(self._seen_of(tensor))
        if self._is_lent(tensor):
            with unpeaked():
                self._lent.written(tensor._storage.owner)

    def replayed(self, replay):
        self.uncounted += 1  # of what it computes no count is told

    def _is_lent(self, tensor):
        """Whether it is written in a call, and was not made in one."""
        storage = tensor._storage.owner
        return bool(self._calls) and not self._theirs.has(storage)

    def accumulated(self, leaf):
        self._take(self._seen_of(leaf._grad))
        if self._is_lent(leaf._grad):
            with unpeaked():
                self._lent.written(leaf._grad._storage.owner, True)

    def _seen_of(self, tensor):
        """The bytes of it that may be seen without a question, once they are written: if they were
        there before the run, a numpy array looks at them, or they are no storage's of the engine's.
        """
        array, storage = tensor._array, tensor._storage.owner
        own = issubclass(type(array), np.ndarray)  # one on a card is none
        size = _size_of(array) if own else array.nbytes
        if not issubclass(type(tensor), Tensor) or owner(array) is not owner(storage.array):
            return size
        return size * (not self._born.has(storage) or self._windows.has(storage.array))

    def computed(self, op, gradients=None):
        settle(max(ARRAYS.get(op.__name__, (0,) * 4)[gradients is not None :: 2]))
        self.uncounted += op.__name__.startswith(PRODUCTS)
        # a rule of a node that nobody has called, and whose visit is told to no count
        self.uncounted += gradients is not None and op is not self._visited

    def visited(self, node):
        self._visited = type(node)

    def started(self, roots, keep_graph):
        if not self._calls and not self._walks:
            self._switches = Switches()
        self._walks += 1
        lines.mark(sys._getframe(1))  # a walk, which makes many tensors

    def ended(self, error):
        self._walks -= 1
        lines.unmark(sys._getframe(1))
        if self._switches and not self._calls and not self._walks:
            self._switches.put_back()
            self._switches = None

    def made(self, tensor, owns):
        own = lines.now(2) is not None  # behind this one is the engine
        if own:
            self.taken += numpy_tells()
        if own or self._walks:
            self._theirs.add(tensor)
            if owns:
                self._theirs.add(tensor._storage)

    def arrived(self, leaf, grad):
        reached = leaf._accumulator() is not None  # else it stands for a leaf: see reversible/
        if reached and not self._is_theirs(leaf):
            key = self._number(leaf), bool(self._calls)
            before = self._came.get(key, (0.0, 0.0, 0.0))
            pairs = zip(before, digest(grad._array), strict=True)
            self._came[key] = [old + new for old, new in pairs]
        before = _fields(leaf).get("_grad")  # who records a replay shows another
        if before is not None:
            self.moving(before)

    def _is_theirs(self, leaf):
        """Whether the run has made it: the case makes its leaves before."""
        storage = leaf._storage.owner  # what `.data` was set to, perhaps
        return self._theirs.has(leaf) or self._theirs.has(storage)

    def _number(self, tensor):
        seen, number = self._seen.get(identity(tensor), (bool, 0))
        if seen() is not tensor:
            number = next(self._numbers)
            self._seen[identity(tensor)] = ref(tensor), number
        return number

    def look(self, arguments):
        """What a call, at its end, leaves in what it was given, and the gradients: their arrays."""
        found = {identity(one): one for one in tensors_in(arguments)}.values()
        left = [seen(one._array) for one in found]
        self._given |= {self._number(one): ref(one) for one in found if one.is_leaf}
        leaves = [given() for given in self._given.values()]
        grads = [one._grad for one in leaves if one is not None and one._grad is not None]
        for grad in grads:
            self._lent.of_gradient(grad._storage.owner)
        return left, [seen(grad._array) for grad in grads]

    def end_of_call(self, left, grads):
        """A call of the learner's, or a measured one, has ended: digests of its arrays."""
        self.left += map(digest_seen, left)
        self.grads += map(digest_seen, grads)

    def begin(self):
        """A call begins: of the learner's, or a measured one."""
        if not self._calls:
            self._lent.begin()
        self._calls.append(memory_allocated())

    def end(self):
        """By how many bytes more are alive than when the call began."""
        return memory_allocated() - self._calls.pop()

    def end_of_measured(self, measured, matmuls, outside, beside, python, parts, arrays):
        """So many bytes more than the ledger's had NumPy, and Python, at its peak and its end;
        and NumPy at its own."""
        self.python.append(python)
        self._measured.append(measured)
        self.costs.append([measured.peak, matmuls + self.uncounted - self._before])
        self._before = self.uncounted
        self.answers.append(digest_found(parts))
        self.outside.append(outside)
        self._beside.append(beside)
        self.end_of_call(*arrays)

    def told(self):
        """Lists of digests, those of tensors in an order of their own; "outside" has four numbers,
        the last of them like the first, with what the rules had for themselves.

        "met" are gradients that came, in a call, to leaves that one was given: such a gradient may
        be put there otherwise. "came" are all others. "from" are the places in no line of the
        learner's that took values out, and how many bytes.
        """
        came: list = []
        met: list = []
        for (number, in_call), sums in self._came.items():
            (met if in_call and number in self._given else came).append(sums)
        kinds = {"came": came, "met": met, "left": self.left, "grads": self.grads}
        told = {kind: sorted(digests)[:MOST] for kind, digests in kinds.items()}
        in_order = {"gave": self.answers, "holds": self.holds}
        in_order |= {"python": self.python, "costs": self.costs}
        # Where bytes at the peak count, those that NumPy has beside them are no more than that.
        beside = ([size if self.counts else 0, whole] for size, whole in self._beside)
        in_order["outside"] = [[*a, *b] for a, b in zip(self.outside, beside, strict=True)]
        told |= {kind: rows[:MOST] for kind, rows in in_order.items()}
        told["slopes"] = sorted(self._slopes())[:MOST]
        told["from"] = [list(row) for row in self._from.most_common(MOST)]
        uncounted = self.uncounted if self.counts else 0
        told["lent"] = [[*self._lent.sizes]]
        return told | {"taken": [[self.taken]], "uncounted": [[uncounted]]}

    def _slopes(self):
        """Digests of the gradients of what was measured, at the leaves of the case's behind it."""
        for measured in self._measured:
            roots = [one for one in tensors_in(measured.value) if one.grad_fn is not None]
            leaves = [one for one in leaves_behind(roots) if not self._is_theirs(one)]
            if roots and leaves:
                yield from slopes(roots, leaves)


def settle(arrays=0):
    """A rule has run that declares so many arrays beside its results, or none has."""
    for bytes in _counting:
        bytes.settle(arrays)


def numpy_tells():
    """Whether numpy tells of numbers that a rule comes upon, a nan perhaps; the engine lets it not.

    It tells by an error, a warning or a call: one yes or no of each rule.
    """
    return np.geterr() != QUIET


def called():
    """A call of the learner's begins."""
    for hear in heard:
        hear()
    for witness in _open:
        witness.begin()


def answered(value, arguments):
    """It has given this, of these arguments."""
    for witness in _open:
        witness.holds.append([witness.end()])
        witness.answers.append(digest_of(value))
        witness.end_of_call(*witness.look(arguments))


def raised(error, arguments):
    """It has ended in this error."""
    answered(type(error).__name__, arguments)


def counts_products():
    """The case at work asks how many products a measured call has made."""
    for witness in _open:
        witness.counts = True


class Outside:
    """NumPy's bytes during a measured call: a context manager, idle where nobody witnesses.

    If nobody has `asked`, it is there beside calls of which nothing is told (`unasked.py`), and
    Python's bytes are not traced: that takes four times as long.
    """

    def __init__(self, asked=True):
        self._asked = asked
        _measured[0] += asked
        self._bytes = NumpyBytes(peaks=asked) if _open else None
        self._seen: tuple = ()  # parts of the value, and the arrays that each witness looks at
        self._beside = 0  # by how many bytes NumPy had more than the ledger, for a while
        self._lately: list = []  # by how many it had after the last births

    def born(self, live):
        """A storage was, and so many bytes are the ledger's: what NumPy has beside them counts if
        it stays while some more are born, whatever the ledger may come to at another moment. A
        rule has arrays of its own, and results that are the ledger's in a moment.
        """
        if self._bytes:
            self._lately = [*self._lately[1 - STAYS :], self._bytes.live - live]
            if len(self._lately) == STAYS:
                self._beside = max(self._beside, min(self._lately))

    def __enter__(self):
        if self._asked:
            for witness in _open:
                witness.forget_strays()
            called()
            self._begin_python()
        if self._bytes:
            self._bytes.__enter__()
        return self

    def _begin_python(self):
        if self._bytes:
            self._traces = not tracemalloc.is_tracing()
            if self._traces:
                tracemalloc.start()
            self._living = self._alive()
            tracemalloc.reset_peak()
            self._before = self._earlier = tracemalloc.get_traced_memory()[0]
            _outsides.append(self)
            _counting.append(self._bytes)

    def __exit__(self, *error):
        if self._asked:
            for witness in _open:
                witness.end()
        if self._bytes:
            self._bytes.__exit__(*error)
        if self._asked:
            self._end_python()

    def _end_python(self):
        if self._bytes:
            _counting.remove(self._bytes)
            _outsides.remove(self)
            self.see_peak()
            last = tracemalloc.get_traced_memory()[0] - self._own()
            self._python = [self._earlier - self._before, last - self._before]
            if self._traces:
                tracemalloc.stop()

    def see_peak(self):
        """Up to now: the most that Python has had beside what the storages are that live now."""
        self._earlier = max(self._earlier, tracemalloc.get_traced_memory()[1] - self._own())

    def _own(self):
        """Bytes that the storages take at least that are alive, and were not as the call began."""
        return ITSELF * max(0, self._alive() - self._living)

    @staticmethod
    def _alive():
        return sum(witness.living for witness in _open)

    def look(self, value, arguments):
        """Ask the learner's objects what has to be asked, while bytes and products are counted."""
        if self._bytes:
            self._seen = parts_of(value), [witness.look(arguments) for witness in _open]

    def note(self, measured, matmuls):
        """The call has come to its end, and this was measured, with so many products."""
        if self._bytes:
            parts, arrays = self._seen
            both = measured.peak, measured.kept
            self._bytes.settle()
            found = [self._bytes.lasting - measured.peak, self._bytes.live - measured.kept]
            beside = self._beside, self._bytes.peak - measured.peak
            python = [n - ledgers for n, ledgers in zip(self._python, both, strict=True)]
            for witness, one in zip(_open, arrays, strict=True):
                witness.end_of_measured(measured, matmuls, found, beside, python, parts, one)


def see_peaks():
    """How many storages live will be another number: the peak of Python's bytes begins anew."""
    if _outsides:
        for outside in _outsides:
            outside.see_peak()
        tracemalloc.reset_peak()


@contextmanager
def unpeaked():
    """What is allocated and let go again in the block is in no peak of what Python has."""
    see_peaks()
    yield
    if _outsides:
        tracemalloc.reset_peak()


def is_measuring():
    """Whether a measured call is at work, of which all is counted."""
    return bool(_counting)


def measured_calls():
    """How many calls this process has measured so far."""
    return _measured[0]
