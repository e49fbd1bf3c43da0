"""What a learner's code can ask tells it nothing of whether this call is measured."""

import contextvars
import sys
from weakref import getweakrefcount

import numpy as np
import pytest

import minigrad as mg
from course.trying import measure
from course.trying.calls import Answer, Calls
from course.trying.unasked import Unasked
from course.trying.witness import Witness
from minigrad.core import observer


class Thing(mg.autograd.Function):
    """Its backward runs in a walk, and in no call of the answer."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        heard.append(asked[0]())
        return grad * 2


heard: list = []
asked: list = [None]
ASKED = {
    "names in the context": lambda: sorted(one.name for one in contextvars.copy_context()),
    "values in the context": lambda: sorted(map(id, contextvars.copy_context().values())),
    "NumPy's handler": np._core.multiarray.get_handler_name,
    "references to a storage": lambda: getweakrefcount(mg.zeros(3).untyped_storage()),
    "references to a borrowed one": lambda: getweakrefcount(
        mg.from_numpy(np.zeros(3)).untyped_storage()
    ),
    "references to a tensor": lambda: getweakrefcount(mg.zeros(3)),
    "holders of a count": lambda: sys.getrefcount(mg.memory.count_ops),
    "holders of a type": lambda: sys.getrefcount(mg.get_default_dtype()),
    "holders of Tensor": lambda: sys.getrefcount(mg.Tensor),
    "holders of an observer": lambda: sys.getrefcount(observer.Births),
    "who hears of births": lambda: len(observer.on_born),
    "who hears of rules": lambda: len(observer.on_computed),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_call_that_is_measured_looks_like_any_other(what):
    told = {"asked": [], "measured": []}
    with Witness(), Unasked():
        answer = Answer(lambda: ASKED[what](), "f", Calls())
        for how in ("asked", "measured", "asked", "measured", "measured", "asked"):
            told[how].append(answer() if how == "asked" else measure(answer).value)
    assert len({*map(str, sum(told.values(), []))}) == 1


@pytest.mark.parametrize("what", ASKED)
def test_a_backward_that_is_measured_looks_like_any_other(what):
    asked[0] = ASKED[what]
    with Witness(), Unasked():
        x = mg.ones(3, requires_grad=True)
        Thing.apply(x).sum().backward()  # from now on it has a gradient
        heard.clear()
        for is_measured in (False, True, False, True, True, False):
            loss = Thing.apply(x).sum()
            measure(loss.backward) if is_measured else loss.backward()
    assert len({*map(str, heard)}) == 1


def test_meters_that_nobody_asks_find_nothing_else_measured():
    """The figures of a measured call are those that they are without them."""

    def step():
        return [mg.ones(50) + 1 for _ in range(3)]

    figures = []
    for meters in ([Witness()], [Witness(), Unasked()]):
        for one in meters:
            one.__enter__()
        held = mg.ones(99) * 2
        found = measure(step)
        figures.append((found.peak, found.kept, found.ops, meters[0].outside))
        for one in reversed(meters):
            one.__exit__(None, None, None)
        del held
    assert figures[0] == figures[1]
