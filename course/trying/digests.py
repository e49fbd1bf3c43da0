"""Numbers that say what values a thing holds: small, of plain data, and hard to hit by chance.

In Python's numbers: NumPy's bytes may be counted meanwhile.
"""

import math
import zlib
from operator import mul

import numpy as np

from course.trying.plain import SCALARS, is_one
from minigrad import Tensor

MOST = 400  # entries of a list that are looked at
DEPTH = 4  # of lists in lists
NOTHING: list = []
NUMBERS = (bool, int, float, *(one for one in SCALARS if np.dtype(one).kind in "biuf"))
_fields = vars(Tensor)["__dict__"].__get__  # of a tensor, whatever a class of a learner's says
_whole = slice(None)
_weights: list = []  # of as many places as were asked for so far


def digest(array):
    """[sum, weighted sum, sum of magnitudes] of the elements, on whatever device: the first two
    add up, as they do.
    """
    return digest_seen(seen(array))


def digest_of(value):
    """The digest of numbers, texts, tensors, and of what lists, dicts and sets of them hold, one
    after another, and whether all are whole numbers; None for anything else, which within a list is
    left out.
    """
    return digest_found(parts_of(value))


# A learner's objects are asked in the first of two steps, and may run any code as they answer. The
# second has arrays of NumPy's own class and Python's floats only.


def seen(array):
    """The array as NumPy's own class has it, on the host; None where it holds no numbers."""
    array = getattr(array, "host", array)  # of a simulated card's
    if not issubclass(type(array), np.ndarray):
        return None
    array = np.asarray(array)
    return array if array.dtype.kind in "fiub" else None


def digest_seen(array):
    return _digest(_elements(array))


def parts_of(value):
    """Floats, and arrays of numbers, in a list; None for what has no digest."""
    return _parts(value, 0)


def digest_found(parts):
    if parts is None:
        return None
    found = [one for part in parts for one in ([part] if type(part) is float else _elements(part))]
    return [*_digest(found), all(map(float.is_integer, found))]


def _digest(numbers):
    _weights.extend(map(_weight, range(len(_weights), len(numbers))))
    weighted = map(mul, numbers, _weights)
    sums = sum(numbers), sum(weighted), sum(map(abs, numbers))
    return [one if math.isfinite(one) else -1.0 for one in sums]


def _weight(place):
    """Another one for each place, between 1 and 2, in no order that an answer might have."""
    return 1 + place * place * 0.6180339887498949 % 1


def _elements(array):
    if array is None:
        return NOTHING
    numbers = array.ravel().tolist()
    return numbers if array.dtype.kind == "f" else list(map(float, numbers))


def _parts(value, depth):
    if value is None or type(value) is str:
        text = "None" if value is None else value
        return [float(zlib.crc32(text.encode("utf-8", "replace")))]
    if is_one(type(value), NUMBERS):
        return [float(value)] if abs(value) < 1e300 else None
    if issubclass(type(value), Tensor):
        return [seen(_fields(value)["_array"])]
    if type(value) is np.ndarray:
        return [seen(value)]
    inner = _entries(value) if depth < DEPTH else None
    if inner is None:
        return None
    return [one for entry in inner for one in _parts(entry, depth + 1) or ()]


def _entries(value):
    if type(value) is dict:
        value = [one for pair in sorted(value.items(), key=_name) for one in pair]
    if is_one(type(value), (set, frozenset)):
        value = sorted(value, key=str)
    kind = next((kind for kind in (list, tuple) if isinstance(value, kind)), None)
    entries = kind.__getitem__(value, _whole) if kind else ()  # those that it holds, not says
    return entries if kind and len(entries) <= MOST else None


def _name(pair):
    return str(pair[0])
