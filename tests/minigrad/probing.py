"""What the probes share: the engine to be probed, its ledger, two assertions, three Functions."""

import gc
import sys
import warnings

sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else ".")
gc.disable()
warnings.simplefilter("ignore")
unraisable: list = []
sys.unraisablehook = unraisable.append

import numpy as np  # noqa: E402, F401

import minigrad as mg  # noqa: E402
from minigrad.autograd import Function, grad, graph  # noqa: E402, F401
from minigrad.core import modes, storage  # noqa: E402, F401
from minigrad.memory import saved  # noqa: E402

N = 100
TWICE = "backward through the graph a second time"
CHANGED = "modified by an inplace operation"
AT_FIRST = START, _ = storage.live, storage.peak


def live():
    return storage.live - START


def peak():
    return storage.peak - START


def leaf(*shape):
    return mg.ones(*(shape or (N,)), requires_grad=True)


def equal(one, other):
    assert one == other, f"{one} is not {other}"


def own(t):
    """What `t` shows lies in the bytes that are counted for it."""
    whole = t.untyped_storage()
    inside = t.data_ptr() - whole.data_ptr()
    assert 0 <= inside <= whole.nbytes() - t.element_size(), (inside, whole.nbytes())


def refuses(words, function, kind=RuntimeError):
    """The text and notes of the error of function(), which must say `words`."""
    try:
        function()
    except kind as error:
        assert words in str(error), error
        return "; ".join([str(error), *getattr(error, "__notes__", ())])
    raise AssertionError(f"no error: {words}")


def names(y):
    """What each node of y's graph saved, by name."""
    return [(r["node"].partition("Backward")[0], r["name"]) for r in saved(y)]


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return 2 * x * g


class AddOne(Function):
    """In place."""

    @staticmethod
    def forward(ctx, x):
        x._array[...] += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Two(Function):
    """Two outputs, of which the second has no gradient."""

    @staticmethod
    def forward(ctx, x):
        first, second = x * 2, x * 3
        ctx.mark_non_differentiable(second)
        return first, second

    @staticmethod
    def backward(ctx, g, none):
        assert not none.tolist()[0]
        return g * 2
