"""What a case's run did, beside the value that it gave: for the class's grader, which compares.

A cost is told by a call, and what the same call gave or left is here: the answers, the gradients
that came to tensors of the case's, what was written into them. Whoever computes nothing while it is
measured has others than the reference. And NumPy's own bytes, which the ledger need not have seen.
"""

import itertools
import math
import weakref
import zlib

import numpy as np

from course.trying import lines
from course.trying.numpy_bytes import NumpyBytes
from minigrad.core.observer import Observer

MOST = 400  # numbers of one kind that are kept
CLOSE, SMALL = 1e-3, 1e-5  # relative to the largest; and of any
MISSING = 4096  # bytes that the ledger has and NumPy has not: somebody else allocated them
UNSEEN = 96  # bytes beyond the reference's, below which nobody hides anything
_open: list = []  # the witness of the case at work, if there is one


class Witness(Observer):
    """A context manager for one case: `told()` afterwards, as plain data."""

    def __init__(self):
        self._theirs: dict = {}  # id of a storage that the learner's lines made: weak reference
        self._seen: dict = {}  # id of a tensor: (weak reference, number)
        self._numbers = itertools.count()
        self._grads: dict = {}  # number: a digest of the last gradient
        self._written: dict = {}
        self.answers: list = []
        self.outside: list = []  # of each measured call: bytes at the peak, bytes at its end

    def __enter__(self):
        _open.append(self)
        return super().__enter__()

    def __exit__(self, *error):
        _open.remove(self)
        return super().__exit__(*error)

    # --- what happens --------------------------------------------------------------------------

    def made(self, tensor, owns):
        if owns and lines.now() is not None:
            self._theirs[id(tensor._storage)] = weakref.ref(tensor._storage)

    def accumulated(self, leaf):
        self._note(leaf, leaf._grad, self._grads)

    def written(self, tensor):
        self._note(tensor, tensor, self._written)

    def _note(self, tensor, value, digests):
        storage = tensor._storage
        if self._theirs.get(id(storage), bool)() is not storage:
            digests[self._number(tensor)] = digest(value._array)

    def _number(self, tensor):
        seen, number = self._seen.get(id(tensor), (bool, 0))
        if seen() is not tensor:
            number = next(self._numbers)
            self._seen[id(tensor)] = weakref.ref(tensor), number
        return number

    # --- what is told --------------------------------------------------------------------------

    def told(self):
        """{"gave", "grads", "written": numbers in an order of their own, "outside": pairs}."""
        return {
            "gave": self.answers[:MOST],
            "grads": sorted(self._grads.values())[:MOST],
            "written": sorted(self._written.values())[:MOST],
            "outside": self.outside[:MOST],
        }


def answered(value):
    """A call of the learner's has given this."""
    for witness in _open:
        witness.answers.append(digest_of(value))


class Outside:
    """NumPy's bytes during a measured call: a context manager, idle where nobody witnesses."""

    def __init__(self):
        self._bytes = NumpyBytes() if _open else None

    def __enter__(self):
        if self._bytes:
            self._bytes.__enter__()
        return self

    def __exit__(self, *error):
        if self._bytes:
            self._bytes.__exit__(*error)

    def note(self, peak, kept):
        """So many bytes the ledger had at the call's peak and at its end."""
        if self._bytes:
            found = [self._bytes.peak - peak, self._bytes.live - kept]
            for witness in _open:
                witness.outside.append(found)


def digest(array):
    """[sum, sum of magnitudes] of the elements."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        return [0.0, 0.0]
    wide = array.astype(np.float64)
    return [_finite(wide.sum()), _finite(np.abs(wide).sum())]


def _finite(number):
    return float(number) if math.isfinite(number) else -1.0


def digest_of(value, depth=0):
    """The digest of a number, a tensor, or of all that lists of them hold; None of other things."""
    if type(value) in (bool, int, float) or isinstance(value, np.generic):
        return digest(np.array(value)) if abs(float(value)) < 1e300 else None
    if isinstance(getattr(value, "_array", None), np.ndarray):
        return digest(value._array)
    if type(value) is np.ndarray:
        return digest(value)
    if value is None or type(value) is str:
        return [0.0, float(zlib.crc32((value or "").encode("utf-8", "replace")))]
    if type(value) is dict:
        value = [*value, *value.values()]
    if type(value) in (list, tuple) and depth < 4 and len(value) <= MOST:
        inner = [digest_of(one, depth + 1) for one in value]
        if None in inner:
            return None
        return [sum(one[0] for one in inner), sum(one[1] for one in inner)]
    return None


# --- the grader compares -----------------------------------------------------------------------


def otherwise(own, reference):
    """What the measured run did otherwise than the reference's, as a sentence; or ""."""
    if not _alike(own["grads"], reference["grads"]):
        return "the gradients of the run that was measured are others than the reference's"
    if not _alike(own["written"], reference["written"]):
        return "the run that was measured wrote something else than the reference"
    if len(own["gave"]) == len(reference["gave"]):
        pairs = zip(own["gave"], reference["gave"], strict=True)
        if any(theirs and not (mine and _alike([mine], [theirs])) for mine, theirs in pairs):
            return "the run that was measured gave something else than the reference"
    return ""


def hidden(own, reference):
    """How many bytes a measured call held where ledger or NumPy do not look; 0 of a few."""
    pairs = zip(own["outside"], reference["outside"], strict=False)
    both = [pair for a, b in pairs for pair in zip(a, b, strict=True)]
    most = max((mine - max(theirs, 0) for mine, theirs in both), default=0)
    if most > UNSEEN:
        return most
    least = min((mine - min(theirs, 0) for mine, theirs in both), default=0)
    return -least if least < -MISSING else 0


def _alike(own, reference):
    if len(own) != len(reference):
        return False
    return all(
        abs(mine - theirs) <= CLOSE * max(pair[1], 0) + SMALL
        for one, pair in zip(own, reference, strict=True)
        for mine, theirs in zip(one, pair, strict=True)
    )


def is_told(found):
    """Whether it can be what `told` gives: another process has sent it."""
    if not isinstance(found, dict) or set(found) != {"gave", "grads", "written", "outside"}:
        return False
    return all(
        isinstance(rows, list)
        and len(rows) <= MOST
        and all(row is None and kind == "gave" or _is_pair(row) for row in rows)
        for kind, rows in found.items()
    )


def _is_pair(row):
    return isinstance(row, list) and len(row) == 2 and all(type(n) in (int, float) for n in row)
