"""No value leaves the engine without an observer being told: see channels.py."""

import os
import random

import channels
import numpy as np
import pytest

import minigrad as mg

PLACES = "Tensor", "mg", "F", "linalg", "nn", "optim", "nn.utils", "distributions"
SEED = int(os.environ["MINIGRAD_MOVED"])


@pytest.mark.parametrize("place", PLACES)
def test_what_python_sees_of_values_is_told(place):
    found = channels.channels(SEED, place)
    assert not found, (SEED, found)


@pytest.mark.parametrize("program", channels.PROGRAMS)
def test_what_python_sees_of_a_program_is_told(program):
    told_once = False
    for number in range(40):
        draw = random.Random(number)
        found = channels.differing(program, [(mg.float32, (2, 3))], draw)
        assert found is None, found
        given = channels.argument((mg.float32, (2, 3)), draw)
        told_once |= channels.seen(program, [given])[1]
    assert told_once, "it has nothing to tell, and proves nothing"


LEAKS = {
    "an answer": lambda x: bool((x._array > 0).all()),
    "a text": lambda x: f"{x._array.sum():.1f}",
    "a shape": lambda x: x._new(x._array[x._array > 0.3]),
    "an error": lambda x: x if x._array.sum() > 1 else 1 / 0,
    "a graph": lambda x: x + 1 if x._array.sum() > 1 else x * 2,
    "bytes": lambda x: [x * 1 for _ in range(int((x._array > 0).sum()))] and None,
    "a version": lambda x: (x._array > 0).any() and x.detach().zero_() and None,
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_channel_is_found(kind):
    draw = random.Random(SEED)
    tries = (channels.differing(LEAKS[kind], [(mg.float32, (2, 3))], draw) for _ in range(40))
    assert any(tries)


def test_what_is_public_is_called():
    called = {name for name, _ in channels.callables()}
    assert {
        "Tensor.equal",
        "mg.allclose",
        "F.embedding",
        "nn.BCELoss()",
        "optim.SGD.step",
    } <= called
    methods = {name for name, thing in vars(mg.Tensor).items() if callable(thing)}
    left_out = {n for n in methods if not n.startswith("_") and f"Tensor.{n}" not in called}
    assert left_out <= channels.APART, left_out


def test_what_goes_on_being_seen_is_told_as_no_byte():
    told: list = []

    class Heard(mg.core.observer.Observer):
        def read(self, array):
            told.append(array)

    below = np.zeros(3)
    with Heard():
        x = mg.from_numpy(below)
        x.numpy()
    assert [array.nbytes for array in told] == [0, 24, 0]
    assert told[0].base is below and told[2].base is below
