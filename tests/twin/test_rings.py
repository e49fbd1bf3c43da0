"""An error that a program has caught and let go keeps nothing: none waits for the collector.

PyTorch's errors begin in C, where no call keeps a name of them. What an error keeps keeps the
tensors that the call was given.
"""

import contextlib
import gc
import math
import os
import random
import warnings

import numpy as np
import pytest

import minigrad as mg
from tests.twin import wrong_calls, wrong_kinds

MANY = 400


@pytest.fixture
def collector_off():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def keeps(text, space):
    """How many objects the collector finds when the call has failed."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eval(text, space)
    return gc.collect()


def test_a_caught_error_keeps_nothing(collector_off):
    draw = random.Random(int(os.environ["MINIGRAD_MOVED"]))
    space = {"mg": mg, "np": np, "math": math}
    exec(wrong_calls.SETTING, space)
    drawn = draw.sample(wrong_kinds.lines(), MANY)
    assert [line.text for line in drawn if keeps(line.text, space)] == []


def test_of_a_module_of_ones_own(collector_off):
    class Net(mg.nn.Module):
        def forward(self, x):
            return mg.tanh(x)

    net = Net()
    assert keeps("net(None)", {"net": net}) == 0
    net.register_forward_hook(lambda *given: None)
    assert keeps("net(None)", {"net": net}) == 0
