"""An error that a program has caught and let go keeps nothing: none waits for the collector.

PyTorch's errors begin in C, where no call keeps a name of them. What an error keeps keeps the
tensors that the call was given.
"""

import contextlib
import gc
import io
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


def not_there():
    from minigrad import vmap

    return vmap


def second_walk():
    x = mg.ones(3, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    loss.backward()


def failing_hook():
    x = mg.ones(3, requires_grad=True) * 2
    x.register_hook(lambda grad: grad / [])
    x.sum().backward()


def of_another_size():
    x = mg.ones(3, requires_grad=True)
    loss = (x * x).sum()
    x.data = mg.ones(5)
    loss.backward()


def step_of_another_size():
    x = mg.ones(3, requires_grad=True)
    optimizer = mg.optim.SGD([x], 0.1, momentum=0.9)
    for shape in (3, 5):
        x.data = mg.ones(shape)
        x.grad = mg.ones(shape)
        optimizer.step()


def refused_file():
    file = io.BytesIO()
    mg.save({"a": math.sqrt}, file)
    file.seek(0)
    mg.load(file)


FAILING = {
    "not there": not_there, "attribute": lambda: mg.ones(2).logdet(), "second walk": second_walk,
    "hook": failing_hook, "size": of_another_size, "step": step_of_another_size,
    "file": refused_file, "name": lambda: mg.vmap,
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_nor_does_another_error(collector_off, name):
    with pytest.raises(Exception):  # noqa: B017, which, is other tests' business
        FAILING[name]()
    gc.collect()
    assert keeps("call()", {"call": FAILING[name]}) == 0


def test_of_a_module_of_ones_own(collector_off):
    class Net(mg.nn.Module):
        def forward(self, x):
            return mg.tanh(x)

    net = Net()
    assert keeps("net(None)", {"net": net}) == 0
    net.register_forward_hook(lambda *given: None)
    assert keeps("net(None)", {"net": net}) == 0
