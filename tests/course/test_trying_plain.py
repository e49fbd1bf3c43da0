"""Only plain data leaves a learner's process; what is compared is never an object of theirs."""

import json
import math
import random
from collections import namedtuple
from itertools import product

import numpy as np
import pytest

import minigrad as mg
from course.trying import differ, forms, plain

VALUES = {
    "none": None,
    "truth": True,
    "integer": -3,
    "float": 0.1,
    "infinite": math.inf,
    "text": "saved",
    "nested": [1, (2.0, "x"), []],
    "dict": {"b": 1, "a": [2]},
    "numbers as keys": {2: "two", 10: "ten"},
    "set": {3, 1},
    "numpy number": np.float32(0.5),
    "array": np.arange(6.0).reshape(2, 3),
    "tensor": np.ones(2),
}


@pytest.mark.parametrize("name", VALUES)
def test_plain_values_survive_json_and_equal_themselves(name):
    value = mg.tensor([1.0, 1.0]) if name == "tensor" else VALUES[name]
    encoded = plain.encode(value)
    assert plain.same(json.loads(json.dumps(encoded)), encoded)
    assert plain.shown(encoded)


def test_decoded_gives_a_hint_what_the_learner_returned():
    value = {"kept": [1, 2.5], 3: {"a"}}
    assert plain.decoded(plain.encode(value)) == value
    assert plain.decoded(plain.encode(np.eye(2, dtype=int))) == [1, 0, 0, 1]
    assert plain.decoded(plain.encode(math.inf)) == math.inf


class Agreeable:
    def __eq__(self, other):
        return True


class Liar(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


deep: list = []
deep.append(deep)
REFUSED = {
    "returned an Agreeable object": Agreeable(),
    "returned a Liar object": Liar(3),
    "deep": deep,
    "30 digits": 10**40,
    "20000 items": [0] * 20000,
    "20000 elements": np.zeros(20000),
    "20000 characters": "x" * 20000,
    "an array of object": np.array([Agreeable()]),
    "a function object": len,
}


@pytest.mark.parametrize("words", REFUSED)
def test_anything_else_is_refused_in_a_sentence(words):
    with pytest.raises(plain.NotPlain) as error:
        plain.encode(REFUSED[words])
    assert words.replace("a function", "a builtin_function_or_method") in str(error.value)


DIFFERENT = [
    (1, 2), (1.0, 1.001), ([1], [1, 2]), ([1], {"set": [1]}), ("1", 1),
    (None, 0), ({"dict": [["a", 1]]}, {"dict": [["a", 2]]}), ({"float": "nan"}, math.pi),
]  # fmt: skip


@pytest.mark.parametrize("pair", DIFFERENT, ids=str)
def test_what_is_not_equal(pair):
    assert not plain.same(*pair) and not plain.same(*pair[::-1])


def test_floats_may_differ_in_their_last_digits_and_integers_may_not():
    assert plain.same(1.0, 1.00001) and plain.same(3, 3.0) and plain.same(0.0, 1e-7)
    assert not plain.same(123456789, 123456790)


ALIKE = {
    "an array": ([1, 2, 3], np.array([1, 2, 3])),
    "a tensor": ([1.0, 2.0], mg.tensor([1.0, 2.0])),
    "rows": ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])),
    "a list of arrays": ([[1, 2], [3, 4]], [np.array([1, 2]), np.array([3, 4])]),
    "a tuple": ([1, (2, 3)], (1, [2, 3])),
    "no dimension": (2.5, mg.tensor(2.5)),
    "numbers of numpy": ([1, 2.5], [np.int64(1), np.float32(2.5)]),
    "in a dict": ({"kept": [1, 2]}, {"kept": np.array([1, 2])}),
}


@pytest.mark.parametrize("name", ALIKE)
def test_an_array_is_as_good_as_a_list_of_the_same_values(name):
    want, got = map(plain.encode, ALIKE[name])
    assert plain.same(got, want) and plain.like(got, want) == plain.like(want, want)
    exact = plain.same(got, want, exact=True)
    assert exact == (name in ("a tuple", "numbers of numpy"))


def test_an_array_of_another_shape_or_value_is_not():
    want = plain.encode([[1, 2], [3, 4]])
    for other in (np.arange(1, 5), np.array([[1, 2], [3, 5]]), np.array(1)):
        assert not plain.same(plain.encode(other), want)
    assert not plain.same(want, plain.encode(np.array([[1, 2], [3, 4]])))  # a tensor was wanted


def test_a_shape_is_part_of_an_array():
    flat, square = plain.encode(np.zeros(4)), plain.encode(np.zeros((2, 2)))
    assert not plain.same(flat, square)


def test_what_is_shown_is_one_short_line():
    for value in ("x\ny" * 400, list(range(999)), np.zeros((90, 90)), {"k" * 90: 1}):
        text = plain.shown(plain.encode(value))
        assert len(text) <= 80 and "\n" not in text


def pool():
    """Values that look alike and are not: other dtypes, forms, and digits that are not shown."""
    numbers = [24.785], [24.785 * 1.0002], [24785, 7], [24785.3, 7.0], [1, 0]
    for row in numbers:
        yield from (row, {"kept": row}, [row, row])
        for dtype in "float32", "float64", "int64":
            yield from (np.array(row, dtype), [np.array(row, dtype)], np.array([row], dtype))
    yield from (3, 3.0, 3.001, "3", [3], True, "True", {3}, {"3"}, None, "None", {}, [], "")


LOOKALIKES = [plain.encode(value) for value in pool()]


def test_what_differs_is_shown_as_two_texts():
    pairs = [pair for pair in product(LOOKALIKES, repeat=2) if not plain.same(*pair)]
    assert len(pairs) > 1000
    for got, want in pairs:
        shown = differ.both(got, want)
        assert shown[0] != shown[1], (got, want)
        kept = shown[1] if plain.shown(got) == plain.shown(want) else plain.shown(want)
        assert differ.wrong(got, want) != kept, "as the teacher's page has both"


def test_a_tensor_of_another_dtype_says_so():
    one, other = (plain.encode(np.array([24.785], dtype)) for dtype in ("float32", "float64"))
    shown = "[24.785] of shape (1,), float64", "[24.785] of shape (1,), float32"
    assert differ.both(other, one) == shown
    assert differ.wrong(other, one) == shown[0], "and nothing of what was expected"


# -- classes that derive from Python's own --


class Row(list):
    def __iter__(self):
        return iter(["a lie"])


class Word(str):
    def __str__(self):
        return "a lie"


class Table(dict):
    def items(self):
        return [("a", "lie")]


Pair = namedtuple("Pair", "one other")


def grown(draw, depth=0):
    """(a value by chance, the same with classes of its own in places)."""
    kind = draw.choice(["number", "text", "list", "tuple", "pair", "dict"][: 6 if depth < 3 else 2])
    if kind == "number":
        return (draw.random(),) * 2
    if kind == "text":
        text = str(draw.random())
        return text, draw.choice([text, Word(text), np.str_(text)])
    inner = [grown(draw, depth + 1) for _ in range(2 if kind == "pair" else draw.randrange(4))]
    ours, theirs = (list(side) for side in zip(*inner, strict=True)) if inner else ([], [])
    if kind == "list":
        return ours, draw.choice([list, Row])(theirs)
    if kind == "dict":
        keys = range(len(ours))
        return dict(zip(keys, ours, strict=True)), Table(zip(keys, ours, strict=True))
    return tuple(ours), Pair(*theirs) if kind == "pair" else tuple(theirs)


def test_what_derives_from_a_list_counts_as_what_it_holds():
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    for _ in range(300):
        plainly, own = grown(draw)
        found = plain.ordinary(own)
        assert found == plainly and plain.encode(own) == plain.encode(plainly), seed
        assert repr(found) == repr(plainly), seed  # of Python's own classes, all the way down
    kept = [1, ("a", [2])]
    assert plain.ordinary(kept) is kept


class Pretending(np.float64):
    __module__ = "numpy"

    def item(self):
        raise AssertionError("asked")


class Asking(type):
    def __eq__(cls, other):
        raise AssertionError("asked")

    __hash__ = type.__hash__
    __name__ = property(lambda cls: cls == 0)


class Asked(metaclass=Asking):
    pass


class Posing:
    __class__ = property(lambda self: 1 / 0)


MADE = {"a number": lambda: Pretending(0.5), "a class": lambda: Asked(), "a pose": lambda: Posing()}


@pytest.mark.parametrize("name", MADE)
def test_no_object_of_a_learners_is_asked_what_it_is(name):
    with pytest.raises(plain.NotPlain):
        plain.encode(MADE[name]())
    assert forms.described(MADE[name]())


def test_a_note_on_a_tensor_does_not_answer_for_it():
    tensor = mg.ones(2)
    tensor.detach = tensor.numpy = lambda: np.zeros(2)
    assert plain.encode(tensor)["array"] == [1.0, 1.0]
