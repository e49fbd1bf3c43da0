"""The comparison sees what differs and nothing else."""

import pytest

from course.twin.compare import alike, clean, counted, differences, plain, same_names


class Box:
    """Looks like a tensor."""

    def __init__(self, values, dtype="minigrad.float32", shape=(2,)):
        self.values, self.dtype, self.shape = values, dtype, shape

    def tolist(self):
        return self.values


@pytest.mark.parametrize(
    "one, other, same",
    [
        (1.0, 1.000001, True), (1.0, 1.0001, False), (1, 1.0, False), (True, 1, False),
        ([1.0, 2.0], [1.0, 2.0], True), ([1.0], [1.0, 2.0], False), ("a", "b", False),
        ({"a": 1.0}, {"a": 1.0000001}, True), ({"a": 1}, {"b": 1}, False), (None, None, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False), (0.0, 1e-7, True), (None, 0, False),
    ],
)  # fmt: skip
def test_alike(one, other, same):
    assert alike(one, other) is same


def test_names_of_types_are_mapped_addresses_and_cpp_places_dropped():
    assert same_names("<minigrad.autograd.function.F object at 0x7fab>") == (
        "<torch.autograd.function.F object at 0x..>"
    )
    assert same_names("minigrad.float64") == "torch.float64"
    assert same_names("minigrad says so. my_minigrad.x") == "minigrad says so. my_minigrad.x"
    assert clean("text. (Triggered internally at /a/b.cpp:3.)") == "text."
    assert clean("minigrad.float64 stays in messages") == "minigrad.float64 stays in messages"


def test_plain_data_carries_what_json_cannot():
    assert plain(float("nan")) == {"float": "nan"} and plain(float("-inf")) == {"float": "-inf"}
    assert plain((1, [2.0, None])) == [1, [2.0, None]]
    assert plain(Box([1.0, float("inf")])) == {
        "tensor": "torch.float32 [2]", "values": [1.0, {"float": "inf"}],
    }  # fmt: skip


def test_differences_name_labels_missing_and_repeated():
    assert differences([["a", 1], ["a", 2]], [["a", 1], ["a", 3]]) == [("a (2)", 2, 3)]
    assert differences([["a", 1]], []) == [("a", 1, "(not reported)")]
    assert differences([], [["b", 2]]) == [("b", "(not reported)", 2)]
    assert list(counted([["a", 1], ["a", 1], ["a", 1]])) == ["a", "a (2)", "a (3)"]
