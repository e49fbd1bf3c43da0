"""What a call of the learner's switches is as it was when the call has ended, measured or not."""

import gc
import sys
import threading
import warnings

import numpy as np
import pytest

import minigrad as mg
from course.trying import measure
from course.trying.calls import Answer, Calls
from course.trying.witness import Witness
from minigrad.ops import printing

WAYS = {
    "np.seterr(all='raise')": np.geterr,
    "np.seterrcall(print)": np.geterrcall,
    "np.setbufsize(16 * 64)": np.getbufsize,
    "np.set_printoptions(precision=2)": lambda: np.get_printoptions()["precision"],
    "sys.setrecursionlimit(900)": sys.getrecursionlimit,
    "sys.setswitchinterval(0.5)": sys.getswitchinterval,
    "sys.set_int_max_str_digits(700)": sys.get_int_max_str_digits,
    "threading.stack_size(1 << 20)": threading.stack_size,
    "gc.set_threshold(3, 4, 5)": gc.get_threshold,
    "sys.tracebacklimit = 1": lambda: getattr(sys, "tracebacklimit", "none"),
    "sys.excepthook = print": lambda: sys.excepthook,
    "sys.unraisablehook = print": lambda: sys.unraisablehook,
    "sys.displayhook = print": lambda: sys.displayhook,
    "threading.excepthook = print": lambda: threading.excepthook,
    "warnings.simplefilter('ignore')": lambda: list(warnings.filters),
    "warnings.filters = []": lambda: list(warnings.filters),
    "warnings.showwarning = print": lambda: warnings.showwarning,
    "mg.set_num_threads(7)": mg.get_num_threads,
    "mg.use_deterministic_algorithms(True)": mg.are_deterministic_algorithms_enabled,
    "mg.set_default_dtype(mg.float64)": mg.get_default_dtype,
    "mg.device('cuda').__enter__()": mg.get_default_device,
    "mg.set_printoptions(precision=9)": lambda: vars(printing.options) | {},
}
HOW = {"asked": lambda f: Answer(f, "f", Calls())(), "measured": measure}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("way", WAYS)
def test_a_switch_lasts_as_long_as_the_call(way, how):
    tell, found = WAYS[way], []

    def call():
        exec(way, globals())
        found.append(tell())

    before = tell()
    HOW[how](call)
    assert found[0] != before
    assert tell() == before


def test_it_is_put_back_after_a_backward_of_the_cases():
    class Loud(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            np.seterrcall(print)
            return grad * 2

    with Witness():
        loss = Loud.apply(mg.ones(2, requires_grad=True)).sum()
        assert np.geterrcall() is None
        loss.backward()
    assert np.geterrcall() is None


def test_it_is_put_back_after_an_error_too():
    def call():
        np.seterr(all="raise")
        raise ValueError

    before = np.geterr()
    with pytest.raises(ValueError):
        Answer(call, "f", Calls())()
    assert np.geterr() == before


def test_no_object_of_the_learners_is_asked_whether_it_is_the_same():
    class Rogue:
        def __eq__(self, other):
            raise AssertionError("asked")

        def __call__(self, *given):
            pass

    def call():
        sys.excepthook = Rogue()
        np.set_printoptions(formatter={"all": Rogue()})
        np.seterrcall(Rogue())

    Answer(call, "f", Calls())()
    assert np.geterrcall() is None
