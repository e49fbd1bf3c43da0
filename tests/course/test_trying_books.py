"""What the meters keep of each tensor is not held against an answer, and hides nothing."""

import gc

import pytest

import minigrad as mg
from course.trying.measure import measure
from course.trying.witness import Witness

MANY, HELD = 400, 200_000


def held(call):
    """The bytes that Python held beside the engine, at the peak and the end of a second call."""
    gc.collect()
    with Witness() as witness:
        measure(call)
        measure(call)
    return witness.python[1]


def dropped():
    for _ in range(MANY):
        mg.zeros(1)


def hidden_before():
    bytes = bytearray(HELD)
    del bytes
    return [mg.zeros(0) for _ in range(MANY)]


def hidden_after():
    tensors = [mg.zeros(0) for _ in range(MANY)]
    del tensors
    return bytearray(HELD)


def hidden_in_rings():
    """The collector lets the tensors go, and by the meter's count they are kept."""
    for _ in range(MANY):
        tensor = mg.zeros(0)
        tensor.me = tensor
    del tensor
    gc.collect()
    return bytearray(HELD)


def test_tensors_that_are_dropped_are_nothing_that_python_holds():
    peak, end = held(dropped)
    assert peak < 20_000 and end < 20_000


@pytest.mark.parametrize("call", [hidden_before, hidden_after, hidden_in_rings])
def test_no_values_hide_behind_tensors_that_come_and_go(call):
    peak, _ = held(call)
    assert peak >= HELD


def test_a_living_tensor_takes_more_than_is_its_own():
    _, end = held(lambda: [mg.zeros(0) for _ in range(MANY)])
    _, storages = held(lambda: [mg.zeros(0).untyped_storage() for _ in range(MANY)])
    assert end > 0 and storages > 0
