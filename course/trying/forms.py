"""What kind of thing a value is, in words: its type, its shape, how many; never its numbers.

A wrong kind is told before anything else is said about a value: "`w1.grad` has shape 3 x 4,
expected 4 x 3". Works on values and on encoded values (`plain.py`).
"""

import re

import numpy as np

import minigrad as mg
from course.trying import plain

NAMES = {int: "number", float: "number", str: "text", bool: "True or False", dict: "dict"}
FAMILIES = {word: word for word in ("list", "dict", "set", "text", "number", "tensor")}
NAMED = {*NAMES.values(), "None", "tensor", "array", "list", "tuple", "set"}
SHAPED = mg.Tensor, mg.nn.Parameter, np.ndarray
FAMILIES |= {"tuple": "list", "array": "tensor"}


# --- a live value ---------------------------------------------------------------------------


def shape_of(value):
    """The shape of a tensor or an array, else None."""
    return tuple(value.shape) if plain.is_one(type(value), SHAPED) else None


def kind_of(value):
    return "array" if type(value) is np.ndarray else "tensor"


def by(shape):
    """`3 x 4`."""
    return " x ".join(map(str, shape))


def described(value):
    """What a call gave: "None", "the number 7", "a list of 3 tensors", "a generator"."""
    if shape_of(value) is not None:
        texts = type(value) is np.ndarray and value.dtype.kind == "U"
        return _array(tuple(value.shape), kind_of(value), "text" if texts else "number")
    if plain.is_one(type(value), (list, tuple)):
        return f"a {plain.name_of(type(value))} of {_entries([_kind(one) for one in value])}"
    if plain.is_one(type(value), (set, frozenset)):
        return f"a set of {_entries([_kind(one) for one in value], short=False)}"
    if type(value) is dict:
        return f"a dict of {_many(len(value), 'item')}" if value else "an empty dict"
    if plain.is_one(type(value), plain.SCALARS):
        return described(value.item()) if type(value.item()) in NAMES else "a number of numpy"
    if value is None or type(value) is bool:
        return str(value)
    if plain.is_one(type(value), (int, float)):
        return f"the number {value:.5g}" if type(value) is float else f"the number {_digits(value)}"
    if type(value) is str:
        return f'the text "{value[:20]}"' if len(value) <= 20 else f'the text "{value[:20]}..."'
    return plain.a_kind(plain.name_of(type(value)))


def general(text):
    """What `described` says, without the value: "a number", "a list of 3 numbers"."""
    for start, kind in ("the number", "a number"), ("the text", "a text"):
        if text.startswith(start):
            return kind
    if text in ("True", "False"):
        return "True or False"
    if text.startswith("a dict of"):
        return "a dict"
    text = re.sub(r" of \d+ texts?$", " of texts", text)  # how many there are may be the answer
    return text.replace("a tuple of", "a list or tuple of")


def alike(one, other):
    """Whether two of them are of one kind; a tuple is as good as a list."""
    pair = [general(text).replace("a list of", "a list or tuple of") for text in (one, other)]
    return not one or not other or pair[0] == pair[1]


def family(text):
    """Of what `described` says: "list" (a tuple, too), "number", ...; "" of None and of others."""
    if text in ("True", "False"):
        return "bool"
    words = text.split(" of ")[0].split(" ")
    word = FAMILIES.get(words[-1]) or FAMILIES.get(words[1] if len(words) > 1 else "")
    return word or ""


def count(text):
    """How many entries the list or tuple has of which `described` says this; else None."""
    found = re.match(r"a (?:list|tuple) of (\d+) ", text)
    if not found and family(text) == "list":
        return len(re.split(", | and ", text.partition(" of ")[2]))
    return int(found[1]) if found else None


def swapped(one, other):
    """Whether they hold the same kinds of things in another order."""
    pair = [re.split(", | and ", general(text).partition(" of ")[2]) for text in (one, other)]
    return pair[0] != pair[1] and sorted(pair[0]) == sorted(pair[1])


def _array(shape, kind, inner):
    """`a 3 x 4 tensor`, `an array of 12 numbers`, `a tensor of one number`."""
    if len(shape) < 2:
        return f"{plain.a_kind(kind)} of {_many(shape[0], inner) if shape else f'one {inner}'}"
    words = f"{by(shape)} {kind}"
    return f"an {words}" if re.match(r"8|1[18]\b", words) else f"a {words}"


def _entries(kinds, short=True):
    """`3 numbers`; of a few that differ `a number and a text`; else `9 numbers and texts`."""
    found = sorted({kind if kind in NAMED else "item" for kind in kinds})
    if "item" not in found and len(found) > 1 and len(kinds) <= 3 and short:
        words = [_one(kind) for kind in kinds]
        return f"{', '.join(words[:-1])} and {words[-1]}"
    if len(found) == 2 and not set(found) & {"None", "True or False", "item"}:
        return f"{len(kinds)} {found[0]}s and {found[1]}s"
    return _many(len(kinds), kinds[0] if len(set(kinds)) == 1 else "item")


def _one(kind):
    return "None" if kind == "None" else plain.a_kind("bool" if kind == "True or False" else kind)


def _digits(number):
    return str(number) if abs(number) <= plain.BIGGEST else "that has more than 30 digits"


def _kind(value):
    if shape_of(value) is not None:
        return kind_of(value)
    if value is None:
        return "None"
    kinds = (name for kind, name in NAMES.items() if type(value) is kind)
    return next(kinds, plain.name_of(type(value)))


def _many(count, kind):
    plural = "" if count == 1 or kind in ("None", "True or False") else "s"
    return f"{count} {kind}{plural}"


# --- an encoded value ------------------------------------------------------------------------


def mismatch(got, want):
    """(path, what stands there, what was expected) of the first wrong type or shape, or None.

    Numbers are compared by `plain.same`, not here. Texts in a list may be more or fewer: which of
    them are there is an answer of its own.
    """
    if plain.same(got, want):
        return None
    shapes = shape(got), shape(want)
    if None not in shapes:
        return None if shapes[0] == shapes[1] else ((), _told(got), expected(want))
    if sort(got) != sort(want):
        return (), _told(got), expected(want)
    return _within(got, want)


def _within(got, want):
    mine, right = plain.entries(got), plain.entries(want)
    if mine is None or right is None:
        return None
    if mine.keys() != right.keys():
        texts = isinstance(want, list) and all(isinstance(one, str) for one in [*got, *want])
        return None if texts else ((), _told(got), expected(want))
    for key in right:
        found = mismatch(mine[key], right[key])
        if found:
            return (key, *found[0]), *found[1:]
    return None


def sort(value):
    """The kind of an encoded value: two of one kind can be compared entry by entry."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float) or isinstance(value, dict) and "float" in value:
        return "number"
    if isinstance(value, dict):
        return next(kind for kind in ("dict", "set", "array") if kind in value)
    return plain.name_of(type(value))


def shape(value):
    """The shape of numbers in lists, or of an array; () of a number; None of anything else."""
    if isinstance(value, dict) and "array" in value:
        return tuple(value["shape"])
    if sort(value) == "number":
        return ()
    if not isinstance(value, list) or not value:
        return None
    inner = {shape(one) for one in value}
    return (len(value), *inner.pop()) if len(inner) == 1 and None not in inner else None


def expected(value):
    """Of what the reference gave: its kind, and no number of it."""
    kind = sort(value)
    if kind in ("bool", "number", "str"):
        return {"bool": "True or False", "number": "a number", "str": "a text"}[kind]
    return general(_told(value))


def _told(value):
    found, kind = shape(value), sort(value)
    if found or kind == "array":
        return _shaped(value, found)
    if kind == "list":
        words = {"str": "text", "bool": "True or False", "NoneType": "None"}
        return f"a list of {_entries([words.get(sort(one), sort(one)) for one in value])}"
    if kind == "dict":
        return _keyed([plain.line(key) for key, _ in value["dict"]])
    if kind == "set":
        return f"a set of {_many(len(value['set']), 'item')}"
    return described(plain.decoded(value))


def _keyed(keys):
    """A dict by its keys; by how many there are, where they are long or many."""
    if len(keys) > 4 or any(len(key) > 20 for key in keys):
        return f"a dict of {_many(len(keys), 'item')}"
    return f"a dict with the keys {', '.join(keys)}" if keys else "an empty dict"


def _shaped(value, found):
    """`shape 3 x 4`, or for a row of them `a list of 3 numbers`."""
    if not found:
        return "a single number"
    if len(found) == 1:
        return (
            f"{'an array' if sort(value) == 'array' else 'a list'} of {_many(found[0], 'number')}"
        )
    return f"shape {by(found)}"


def sentence(found, what=""):
    """`A wrong shape at [1]: shape 3 x 4, expected shape 4 x 3.`; of `what`, if that has a name."""
    path, got, want = found
    if what:
        verb = "has" if got.startswith("shape") else "is"
        return f"`{what}{plain.path(path)}` {verb} {got}, expected {want}."
    what = "shape" if got.startswith("shape") and want.startswith("shape") else "kind of value"
    place = f" at `{plain.path(path)}`" if path else ""
    return f"A wrong {what}{place}: {got}, expected {want}."
