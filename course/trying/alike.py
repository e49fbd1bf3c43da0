"""Whether a run did what the reference's did: what two witnesses told, compared."""

from itertools import zip_longest

from course.trying.digests import MOST

CLOSE, SMALL = 1e-4, 1e-5  # relative to the largest; and of any
HELD = 1024  # bytes that a call may leave beyond twice the reference's
MISSING = 4096  # bytes that the ledger has and NumPy has not: somebody else allocated them
BESIDE = 2**16  # bytes that Python may hold beyond twice what it holds for the reference
UNSEEN = 96  # bytes beyond the reference's, below which nobody hides anything
LOGGED = 512  # bytes that one may log of numbers that the reference logs, too, up to twice each
EXACT = 1e-9  # relative, where all are whole numbers
# What runs may take of each cost, how many times as much as another run, and what counts as none.
TOTALS = "taken", "uncounted", "lent"
TIMES = ("many bytes at the peak", 3, 64), ("many products", 1.5, 1)
LENGTHS = {"gave": 4, "came": 3, "met": 3, "left": 3, "grads": 3, "slopes": 3}
LENGTHS |= {
    "outside": 4,
    "python": 2,
    "from": 2,
    "costs": 2,
    "holds": 1,
    "taken": 1,
    "uncounted": 1,
    "lent": 2,
}  # of a row of each kind


def otherwise(own, reference, free=False):
    """What the measured run did otherwise than the reference's, as a sentence; or "".

    A `free` one may have done more work, and so have brought other gradients on its way.
    """
    if not _alike(own["left"], reference["left"]):
        return "the run that was measured left other values in the tensors it was given"
    met = _alike(own["met"], reference["met"]) or _same_grads(own, reference)
    if not free and not (_alike(own["came"], reference["came"]) and met):
        return "the gradients of the run that was measured are others than the reference's"
    pairs = list(zip_longest(own["gave"], reference["gave"]))
    if any(theirs and not (mine and _as_good(mine, theirs)) for mine, theirs in pairs):
        return "the run that was measured gave something else than the reference"
    if not free and (more := _held(own, reference)):
        return f"a call left {more} bytes alive, more than it needs to"
    if not free and (more := _beside(own, reference)):
        return f"Python held {more} bytes beside the engine and NumPy, more than it needs to"
    if not free and own["uncounted"][0][0] > reference["uncounted"][0][0]:
        return "products of matrices were made by operations that are not counted as such"
    if reference["slopes"] and not _alike(own["slopes"], reference["slopes"]):
        return "a walk back from what the measured run gave brings other gradients"
    return ""


def _held(own, reference):
    """The bytes that a call left alive where the reference's leaves much less; or 0.

    They were made before the measured call, perhaps, and spare it the making.
    """
    pairs = zip(own["holds"], reference["holds"], strict=False)
    much = [mine for (mine,), (theirs,) in pairs if mine > _enough(max(theirs, 0))]
    return max(much, default=0)


def _beside(own, reference):
    """The bytes of lists, numbers and texts at the peak of a measured call or at its end, where the
    reference's call has much less; or 0.

    Whoever takes values out of the engine keeps them somewhere, by whatever way they went. Where
    the reference makes no tensor, by hand, there are none, and a table of one's own is good work.
    """
    rows = zip(own["python"], reference["python"], reference["costs"], strict=False)
    both = [pair for a, b, (peak, _) in rows if peak for pair in zip(a, b, strict=True)]
    return max((mine for mine, theirs in both if mine > 2 * max(theirs, 0) + BESIDE), default=0)


def enough(reference):
    """The bytes of the measured calls that who does the work in another way has a use for."""
    return _enough(max((peak for peak, _ in reference["costs"]), default=0))


def _enough(size):
    """So many bytes for somebody who works in another way than one that takes `size`."""
    return 2 * size + HELD


def _as_good(mine, theirs):
    close = EXACT if mine[3] and theirs[3] else CLOSE
    return _alike([mine[:3]], [theirs[:3]], close)


def _same_grads(own, reference):
    """Somebody may have put them there in another way than backward does."""
    return reference["grads"] and _alike(own["grads"], reference["grads"])


def hidden(own, reference):
    """How many bytes a measured call held where ledger or NumPy do not look; 0 of a few.

    What the engine's rules had for themselves, as they declare it, is no learner's doing.
    """
    rows = [*zip(own["outside"], reference["outside"], strict=False)]
    lasting = [pair for a, b in rows for pair in zip(a[:3], [b[3], *b[1:3]], strict=True)]
    most = max((mine - max(theirs, 0) for mine, theirs in lasting), default=0)
    if most > UNSEEN:
        return most
    both = [pair for a, b in rows for pair in zip(a[1:], b[1:], strict=True)]
    least = min((mine - min(theirs, 0) for mine, theirs in both), default=0)
    return -least if least < -MISSING else 0


def taken(own, reference):
    """How many bytes more than the reference the learner's lines took out; 0 of a few, and of
    numbers that are printed, say, where the reference takes as many for its list.

    So does whatever else is taken where no line of the reference's run takes it: what is written
    in C may run as a tensor dies, or as a value is looked at, with no line of the learner's.
    """
    more = own["taken"][0][0] - reference["taken"][0][0]
    theirs = dict(map(tuple, reference["from"]))
    more += sum(max(0, size - theirs.get(place, 0)) for place, size in own["from"])
    logged = min(2 * reference["taken"][0][0], LOGGED)
    return more if more > max(UNSEEN, logged) else 0


def lent(own, reference):
    """How many bytes more than the reference an answer used as scratch that the case had made."""
    pairs = zip(own["lent"][0], reference["lent"][0], strict=True)
    more = max(mine - theirs for mine, theirs in pairs)
    return more if more > UNSEEN else 0


def apart(pairs):
    """How an answer worked in one run as it did in no other, as a sentence; or "".

    Each run's costs are those of the reference's run, times a number that changes little with the
    size of what is given. Who stores all while products are counted, and computes all again while
    bytes are, is good for both and has written neither.
    """
    runs = [
        rows for own, right in pairs for rows in zip(own["costs"], right["costs"], strict=False)
    ]
    for place, (what, most, slack) in enumerate(TIMES):
        ratios = [(mine[place] + slack) / (theirs[place] + slack) for mine, theirs in runs]
        spread = max(ratios) / min(ratios) if ratios else 1
        if spread > most:
            return f"one of them took {spread:.1f} times as {what} as another, by the reference"
    return ""


def _alike(own, reference, close=CLOSE):
    return len(own) == len(reference) and all(
        abs(mine - theirs) <= close * one[2] + SMALL
        for one, pair in zip(reference, own, strict=True)
        for mine, theirs in zip(pair, one, strict=True)
    )


def is_told(found):
    """Whether it can be what `told` gives: another process has sent it."""
    if not isinstance(found, dict) or found.keys() != LENGTHS.keys():
        return False
    return all(
        isinstance(rows, list)
        and len(rows) <= MOST
        and (len(rows) == 1 or kind not in TOTALS)
        and all(row is None and kind == "gave" or _is_row(row, LENGTHS[kind]) for row in rows)
        for kind, rows in found.items()
    )


def _is_row(row, length):
    numbers = isinstance(row, list) and len(row) == length
    return numbers and all(type(number) in (bool, int, float) for number in row)
