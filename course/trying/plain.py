"""What may cross from a learner's process: numbers, texts, lists and the like, copied into JSON.

Nothing else is let through, so that no object of a learner's ever answers for itself when it is
compared. Works on values, and knows nothing of exercises.
"""

import collections
import math

import numpy as np

import minigrad as mg

MOST_ITEMS, MOST_TEXT, MOST_DEPTH = 10_000, 10_000, 8
DICTS = dict, collections.OrderedDict, collections.Counter, collections.defaultdict
ENTRIES: dict = {  # of classes that derive from these, without asking them
    tuple: tuple.__iter__, list: list.__iter__, dict: dict.items, str: str.__str__,
}  # fmt: skip
BIGGEST = 10**30  # an integer with more digits takes minutes to print
WANTED = "plain numbers, texts, lists or dicts"
SCALARS = tuple(kind for kind in {*np.sctypeDict.values()} if kind is not np.object_)
name_of = vars(type)["__name__"].__get__  # of a class, whatever its own class says
EXACT = 1e-12  # of a count, which may have been divided
# A float32 sum in another order is off by some 1e-7 of the numbers that were added, tens of times
# less than any of these; a mistake is off by a hundredth at least.
RELATIVE, ABSOLUTE = 1e-4, 1e-6


class NotPlain(ValueError):
    """A value that cannot be graded; the text is one sentence."""


def is_one(kind, kinds):
    """Whether it is one of these classes itself; `in` would ask the class of a learner's class."""
    return any(kind is one for one in kinds)


def ordinary(value, depth=0):
    """`value` with Python's own lists, tuples, dicts and texts in place of those of other classes.

    A NamedTuple is as good as a tuple. What such a class says of itself is not asked.
    """
    kind = type(value)
    for base, entries in ENTRIES.items():
        if kind is not base and issubclass(kind, base):
            value = base(entries(value))
    if is_one(type(value), (list, tuple)) and depth < MOST_DEPTH and len(value) <= MOST_ITEMS:
        inner = [ordinary(one, depth + 1) for one in value]
        if any(new is not old for new, old in zip(inner, value, strict=True)):
            value = type(value)(inner)
    return value


def encode(value, depth=0):
    """`value` as JSON can hold it; raises NotPlain."""
    kind = type(value)
    if depth > MOST_DEPTH:
        raise NotPlain(f"returned lists in lists, more than {MOST_DEPTH} deep")
    if value is None or kind is bool:
        return value
    if kind is int:
        return _integer(value)
    if kind is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if kind is str:
        return _text(value)
    if is_one(kind, (list, tuple)):
        return [encode(item, depth + 1) for item in _few(value)]
    if is_one(kind, (set, frozenset)):
        return {"set": sorted((encode(item, depth + 1) for item in _few(value)), key=repr)}
    if is_one(kind, DICTS):
        pairs = [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in _few(value).items()]
        return {"dict": sorted(pairs, key=repr)}
    if kind is mg.Tensor:
        return _array(mg.Tensor.numpy(mg.Tensor.detach(value)))  # no note on it goes for these
    if kind is np.ndarray and value.dtype.kind == "U":
        return encode(_few(value.reshape(-1)).reshape(value.shape).tolist(), depth)
    if kind is np.ndarray:
        return _array(value)
    if is_one(kind, SCALARS):
        return encode(value.item(), depth)
    if (other := ordinary(value)) is not value:
        return encode(other, depth)
    raise NotPlain(f"returned {a_kind(name_of(kind))} object, expected {WANTED}")


def _integer(value):
    if abs(value) > BIGGEST:
        raise NotPlain("returned an integer of more than 30 digits")
    return value


def _text(value):
    if len(value) > MOST_TEXT:
        raise NotPlain(f"returned a text of {len(value)} characters; at most {MOST_TEXT}")
    return value.encode("utf-8", "replace").decode()


def _few(value):
    if len(value) > MOST_ITEMS:
        raise NotPlain(f"returned {len(value)} items; at most {MOST_ITEMS}")
    return value


def _array(array):
    if array.size > MOST_ITEMS:
        raise NotPlain(f"returned an array of {array.size} elements; at most {MOST_ITEMS}")
    if array.dtype.kind not in "biuf":
        raise NotPlain(f"returned an array of {array.dtype}, expected numbers")
    values = [encode(item) for item in array.reshape(-1).tolist()]
    return {"array": values, "shape": list(array.shape), "dtype": str(array.dtype)}


def a_kind(word):
    return f"{'an' if word[:1] in 'aeiouAEIOU' else 'a'} {word[:40]}"


def same(got, want, exact=False, slack=ABSOLUTE):
    """Whether two encoded values are equal; floats within 1e-4 of each other's size.

    Among floats a small one may be off by 1e-4 of the largest: it is what is left of larger ones.

    A count is exact: as a float, too, it may not be a few bytes of ten thousand off. Where a list
    is wanted, of numbers or of arrays, an array or a tensor of the same values and shape is as
    good, and one without a dimension where a number is; not so if `exact`.
    """
    if not exact and _is(got, "array") and not _is(want, "array"):
        got = rows(got)
    if isinstance(got, int | float) and isinstance(want, int | float):
        if isinstance(got, int) and isinstance(want, int):
            return got == want
        if isinstance(want, int):
            return math.isclose(got, want, rel_tol=EXACT, abs_tol=ABSOLUTE)
        return math.isclose(got, want, rel_tol=RELATIVE, abs_tol=slack)
    if type(got) is not type(want):
        return False
    slack = max(slack, rounding(want))
    if isinstance(got, list):
        got, want = dict(enumerate(got)), dict(enumerate(want))
    if isinstance(got, dict):
        keys = want.keys()
        return got.keys() == keys and all(same(got[k], want[k], exact, slack) for k in keys)
    return got == want


def rounding(want):
    """How far any float of `want` may be off, if it holds floats and nothing else."""
    found = list(_leaves(want))
    if not all(isinstance(one, float) for one in found):
        return ABSOLUTE
    return max([ABSOLUTE, *(RELATIVE * abs(one) for one in found)])


def _leaves(value):
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif _is(value, "array"):
        yield from value["array"]
    elif _is(value, "dict"):
        for _, one in value["dict"]:
            yield from _leaves(one)
    else:
        yield value


def differs(got, want):
    """What a hint asks of two values, decoded or not: whether they differ, as the table counts."""
    return not same(_again(got), _again(want))


def _again(value):
    """Encoded once more; a text stays as it is."""
    return encode(value) if not (_is(value, "array") or _is(value, "float")) else value


def _is(value, kind):
    return isinstance(value, dict) and kind in value


def like(got, want):
    """`got` with lists in place of its arrays, wherever `want` has no array."""
    if _is(got, "array") and isinstance(want, list) and got["shape"][:1] == [len(want)]:
        got = rows(got)
    if _is(got, "array"):
        return got if _is(want, "array") else listed(got)
    inner = entries(got), entries(want)
    if None in inner or _is(want, "array"):
        return got
    found = {key: like(one, inner[1].get(key)) for key, one in inner[0].items()}
    if isinstance(got, list):
        return list(found.values())
    return {"dict": [[key, found[_key(key)]] for key, _ in got["dict"]]}


def listed(array):
    """An encoded array as lists in lists, or a number."""
    values, shape = array["array"], array["shape"]
    for size in reversed(shape[1:]):
        values = [values[at : at + size] for at in range(0, len(values), size)] if size else []
    return values if shape else values[0]


def rows(array):
    """An encoded array as a list of encoded arrays with one dimension less, or a number."""
    values, shape = array["array"], array["shape"][1:]
    if not array["shape"]:
        return values[0]
    size = math.prod(shape)
    places = range(0, array["shape"][0] * size, size) if size else [0] * array["shape"][0]
    return [array | {"array": values[at : at + size], "shape": shape} for at in places]


def entries(value):
    """{key: encoded value} of a list, a dict or an array, decoded keys; None of anything else."""
    if isinstance(value, list):
        return dict(enumerate(value))
    if _is(value, "dict"):
        return {_key(key): one for key, one in value["dict"]}
    if _is(value, "array") and value["shape"]:
        return dict(enumerate(listed(value)))
    return None


def decoded(value):
    """What a hint's function reads: encoded dicts and arrays as dicts and lists again."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {_key(k): decoded(v) for k, v in value["dict"]}
    if "set" in value:
        return {_key(item) for item in value["set"]}
    return float(value["float"]) if "float" in value else [decoded(x) for x in value["array"]]


def _key(value):
    found = decoded(value)
    return repr(found) if isinstance(found, list | dict | set) else found


def shown(value, most=80):
    """One short line for a table."""
    return cut(line(value), most)


def path(keys):
    """`[2][0]`, `weights[3]`: as one would write it."""
    parts = [f"[{key}]" if isinstance(key, int) or i else str(key) for i, key in enumerate(keys)]
    return "".join(parts)


def cut(text, most):
    return text if len(text) <= most else text[: most - 3] + "..."


def line(value):
    """The whole value in a line of any length."""
    if _is(value, "array") and not value["shape"]:
        return f"tensor({_text_of(listed(value))})"
    if _is(value, "array"):
        return f"{_text_of(listed(value))} of shape {tuple(value['shape'])}"
    if type(value) is int:
        return f"{value:,}"
    return " ".join(_text_of(value).split())


def _text_of(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(_text_of, value)) + "]"
    if isinstance(value, float):
        return f"{value:.5g}"
    if _is(value, "dict"):
        return ", ".join(f"{_text_of(k)}: {_text_of(v)}" for k, v in value["dict"])
    if _is(value, "set"):
        return "{" + ", ".join(map(_text_of, value["set"])) + "}"
    if _is(value, "float"):
        return value["float"]
    return line(value) if isinstance(value, dict) else str(value)
