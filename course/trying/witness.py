"""What a case's run did, beside the value that it gave: for the class's grader, which compares.

A cost is told by a call, and what the same call gave or left is here: the answers, the gradients
that came to tensors of the case's, what is in them at the end. Whoever computes nothing while it is
measured has others than the reference. And NumPy's own bytes, which the ledger need not have seen.
"""

import itertools
import math
import sys
import zlib
from itertools import cycle
from operator import mul
from types import CellType, FunctionType
from weakref import ref

import numpy as np

from course.trying import lines
from course.trying.lines import identity
from course.trying.numpy_bytes import NumpyBytes
from minigrad import Tensor
from minigrad.core.observer import Observer
from minigrad.core.storage import owner
from minigrad.nn import Module

MOST = 400  # numbers of one kind that are kept
CLOSE, SMALL = 1e-3, 1e-5  # relative to the largest; and of any
MISSING = 4096  # bytes that the ledger has and NumPy has not: somebody else allocated them
UNSEEN = 96  # bytes beyond the reference's, below which nobody hides anything
_open: list = []  # the witness of the case at work, if there is one


class Witness(Observer):
    """A context manager for one case: `told()` afterwards, as plain data."""

    def __init__(self):
        self._theirs: dict = {}  # identity of what the learner's lines made: weak reference
        self._seen: dict = {}  # identity of a tensor: (weak reference, number)
        self._numbers = itertools.count()
        self._came: dict = {}  # number of a leaf: a digest of all gradients that came to it
        self.answers: list = []
        self.left: list = []  # digests of what the tensors that were given hold at the end
        self.grads: list = []  # and of their gradients
        self.outside: list = []  # of each measured call: bytes at the peak, bytes at its end
        self._born: dict = {}  # identity of a storage that the run has made: weak reference
        self._windows: dict = {}  # identity of an array that the lines see: weak reference
        self.taken = 0  # bytes that the learner's lines took out, or wrote where they are seen

    def __enter__(self):
        _open.append(self)
        return super().__enter__()

    def __exit__(self, *error):
        _open.remove(self)
        return super().__exit__(*error)

    def born(self, storage):
        self._born[identity(storage)] = ref(storage)

    def read(self, array):
        if lines.now() is not None:
            self.taken += array.nbytes
            if not array.size:
                whole = owner(array)
                self._windows[identity(whole)] = ref(whole)

    def written(self, tensor):
        if lines.now() is not None:
            self.taken += self._is_seen(tensor._storage) * tensor._array.nbytes + numpy_tells()

    def accumulated(self, leaf):
        if lines.now() is not None:
            self.taken += self._is_seen(leaf._grad._storage) * leaf._grad._array.nbytes

    def _is_seen(self, storage):
        """Whether what is written there may be seen without a question: it was there before the
        run, or a numpy array looks at it."""
        storage = getattr(storage, "owner", storage)
        born = self._born.get(identity(storage), bool)() is storage
        array = storage.array
        return not born or self._windows.get(identity(array), bool)() is array

    def started(self, roots, keep_graph):
        lines.mark(sys._getframe(1))  # a walk, which makes many tensors

    def ended(self, error):
        lines.unmark(sys._getframe(1))

    def made(self, tensor, owns):
        if lines.now(2) is not None:  # behind this one is the engine
            self.taken += numpy_tells()
            self._theirs[identity(tensor)] = ref(tensor)
            if owns:
                storage = tensor._storage
                self._theirs[identity(storage)] = ref(storage)

    def arrived(self, leaf, grad):
        if not any(self._theirs.get(identity(one), bool)() is one for one in (leaf, leaf._storage)):
            number = self._number(leaf)
            before = self._came.get(number, (0.0, 0.0, 0.0))
            pairs = zip(before, digest(grad._array), strict=True)
            self._came[number] = [old + new for old, new in pairs]

    def _number(self, tensor):
        seen, number = self._seen.get(identity(tensor), (bool, 0))
        if seen() is not tensor:
            number = next(self._numbers)
            self._seen[identity(tensor)] = ref(tensor), number
        return number

    def end_of_call(self, arguments):
        """A measured call has come to its end."""
        found = {identity(one): one for one in tensors_in(arguments)}.values()
        self.left += [digest(one._array) for one in found]
        self.grads += [digest(one._grad._array) for one in found if one._grad is not None]

    def told(self):
        """Lists of digests, those of tensors in an order of their own; "outside" has pairs."""
        came = list(self._came.values())
        kinds = {"came": came, "left": self.left, "grads": self.grads}
        told = {kind: sorted(digests)[:MOST] for kind, digests in kinds.items()}
        told |= {"gave": self.answers[:MOST], "outside": self.outside[:MOST]}
        return told | {"taken": [[self.taken]]}


def numpy_tells():
    """Whether numpy tells of numbers that a rule comes upon, a nan perhaps; the engine lets it not.

    It tells by an error, a warning or a call: one yes or no of each rule.
    """
    return set(np.geterr().values()) != {"ignore"}


def answered(value, arguments):
    """A call of the learner's, of these arguments, has given this."""
    for witness in _open:
        witness.answers.append(digest_of(value))
        witness.end_of_call(arguments)


class Outside:
    """NumPy's bytes during a measured call: a context manager, idle where nobody witnesses."""

    def __init__(self):
        self._bytes = NumpyBytes() if _open else None

    def __enter__(self):
        if self._bytes:
            self._bytes.__enter__()
        return self

    def __exit__(self, kind, error, step):
        if self._bytes:
            self._bytes.__exit__(kind, error, step)
            lost, self._bytes.lost = self._bytes.lost, None
            if kind is SystemError and lost is not None:
                try:
                    raise lost.with_traceback(step) from None
                finally:
                    del lost  # or it would hold itself, and what the run made

    def note(self, peak, kept, arguments):
        """So many bytes the ledger had at the call's peak and at its end."""
        if self._bytes:
            found = [self._bytes.peak - peak, self._bytes.live - kept]
            for witness in _open:
                witness.outside.append(found)
                witness.end_of_call(arguments)


# --- digests -------------------------------------------------------------------------------------


def digest(array):
    """[sum, another sum, sum of magnitudes] of the elements: the first two add up, as they do.

    In Python's numbers: NumPy's bytes are being counted.
    """
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        return [0.0, 0.0, 0.0]
    numbers = array.ravel().tolist()
    if array.dtype.kind != "f":
        numbers = list(map(float, numbers))
    weighted = map(mul, numbers, cycle(WEIGHTS))
    return [_finite(sum(numbers)), _finite(sum(weighted)), _finite(sum(map(abs, numbers)))]


WEIGHTS = [1 + place / 89 for place in range(89)]


def _finite(number):
    return number if math.isfinite(number) else -1.0


def digest_of(value, depth=0):
    """The digest of numbers, texts, tensors, and of what lists and dicts of them hold; or None."""
    if value is None or type(value) is str:
        code = float(zlib.crc32((value or "").encode("utf-8", "replace")))
        return [code, code, 1.0]
    if type(value) in (bool, int, float) or isinstance(value, np.generic):
        return digest(np.array(float(value))) if abs(float(value)) < 1e300 else None
    if isinstance(getattr(value, "_array", None), np.ndarray):
        return digest(value._array)
    if type(value) is np.ndarray:
        return digest(value)
    if type(value) is dict:
        value = [*value, *value.values()]
    if isinstance(value, list | tuple) and depth < 4 and len(value) <= MOST:
        inner = [digest_of(one, depth + 1) for one in value]
        if None in inner:
            return None
        return [sum(one[place] for one in inner) for place in range(3)]
    return None


def tensors_in(thing, depth=0):
    """The tensors that a case has given, however they are packed."""
    if isinstance(thing, Tensor):
        yield thing
    elif depth > 4:
        return
    elif isinstance(thing, dict):
        yield from tensors_in(list(thing.values()), depth + 1)
    elif isinstance(thing, list | tuple):
        for one in thing[:MOST]:
            yield from tensors_in(one, depth + 1)
    elif isinstance(thing, Module):
        yield from thing.parameters()
    elif isinstance(thing, FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or () if cell != _EMPTY]
        yield from tensors_in([*(thing.__defaults__ or ()), *cells], depth + 1)


_EMPTY = CellType()


# --- the grader compares -----------------------------------------------------------------------


def otherwise(own, reference):
    """What the measured run did otherwise than the reference's, as a sentence; or ""."""
    if own["left"] and not _alike(own["left"], reference["left"]):
        return "the run that was measured left other values in the tensors it was given"
    if not (_alike(own["came"], reference["came"]) or _same_grads(own, reference)):
        return "the gradients of the run that was measured are others than the reference's"
    if len(own["gave"]) == len(reference["gave"]):
        pairs = zip(own["gave"], reference["gave"], strict=True)
        if any(theirs and not (mine and _as_much(mine, theirs)) for mine, theirs in pairs):
            return "the run that was measured gave something else than the reference"
    return ""


def _as_much(mine, theirs):
    """Whether an answer of another form, an array for a list perhaps, has the same sums."""
    return all(abs(mine[n] - theirs[n]) <= CLOSE * theirs[2] + SMALL for n in (0, 2))


def _same_grads(own, reference):
    """Somebody may have put them there in another way than backward does."""
    return reference["grads"] and _alike(own["grads"], reference["grads"])


def hidden(own, reference):
    """How many bytes a measured call held where ledger or NumPy do not look; 0 of a few."""
    pairs = zip(own["outside"], reference["outside"], strict=False)
    both = [pair for a, b in pairs for pair in zip(a, b, strict=True)]
    most = max((mine - max(theirs, 0) for mine, theirs in both), default=0)
    if most > UNSEEN:
        return most
    least = min((mine - min(theirs, 0) for mine, theirs in both), default=0)
    return -least if least < -MISSING else 0


def taken(own, reference):
    """How many bytes more than the reference the learner's lines took out; 0 of a few."""
    more = own["taken"][0][0] - reference["taken"][0][0]
    return more if more > UNSEEN else 0


def _alike(own, reference):
    return len(own) == len(reference) and all(
        abs(mine - theirs) <= CLOSE * one[2] + SMALL
        for one, pair in zip(reference, own, strict=True)
        for mine, theirs in zip(pair, one, strict=True)
    )


def is_told(found):
    """Whether it can be what `told` gives: another process has sent it."""
    lengths = {"gave": 3, "came": 3, "left": 3, "grads": 3, "outside": 2, "taken": 1}
    if not isinstance(found, dict) or found.keys() != lengths.keys():
        return False
    return all(
        isinstance(rows, list)
        and len(rows) <= MOST
        and all(row is None and kind == "gave" or _is_row(row, lengths[kind]) for row in rows)
        for kind, rows in found.items()
    )


def _is_row(row, length):
    numbers = isinstance(row, list) and len(row) == length
    return numbers and all(type(number) in (int, float) for number in row)
