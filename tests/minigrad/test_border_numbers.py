"""A number of a program's own class never sees an array: PyTorch's parser reads a plain one.

Numpy lets the class of an operand compute in its place (`__array_ufunc__`, `__rmul__`). A learner
whose function is measured could take values out so, and nobody would be told.
"""

import inspect
import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn

SEEN: list = []
OPERATORS = "add sub mul truediv pow floordiv mod".split()
REFLECTED = ["r" + name for name in OPERATORS]
COMPARED = "lt gt le ge eq ne".split()


def spy(base):
    """A class of numbers that notes each array that it is asked to compute with."""

    def asked(name):
        def method(self, *others):
            note(name, others)
            plain = [other.item() if isinstance(other, Number) else other for other in others]
            return getattr(base, name)(base.__new__(base, self), *plain)

        return method

    class Number(base):
        def __array_ufunc__(self, ufunc, method, *given, **named):
            note(ufunc.__name__, given)
            plain = [base.__new__(base, one) if type(one) is Number else one for one in given]
            return getattr(ufunc, method)(*plain, **named)

        def item(self):
            return base.__new__(base, self)

        __hash__ = base.__hash__

    for name in (*OPERATORS, *REFLECTED, *COMPARED):
        if hasattr(base, f"__{name}__"):
            setattr(Number, f"__{name}__", asked(f"__{name}__"))
    return Number


def note(name, given):
    SEEN.extend((name, one.shape) for one in given if isinstance(one, np.ndarray) and one.size)


FLOAT, INT, NUMPYS = spy(float), spy(int), spy(np.float32)
VALUES = FLOAT(0.5), INT(1), NUMPYS(0.5)
PLACES = {"": mg, "F": nn.functional, "linalg": mg.linalg, "utils": nn.utils, "Tensor": mg.Tensor}
NEVER = {"interrupts", "__class__", "__init_subclass__", "__subclasshook__", "__new__", "__init__",
         "__getattribute__", "__setattr__", "__delattr__",
         # what these set would stay, for the tests that follow
         "set_printoptions", "set_default_device", "set_rng_state", "set_grad_enabled",
         "set_anomaly_enabled", "set_detect_anomaly", "detect_anomaly"}  # fmt: skip


def functions(place):
    for name in dir(place):
        inner = name[0] == "_" and not (place is mg.Tensor and name.startswith("__"))
        found = getattr(place, name)
        if not inner and name not in NEVER and callable(found) and not isinstance(found, type):
            yield name, found


def x():
    values = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    return mg.tensor(values, requires_grad=True)


def attempt(function, *given, **named):
    """Whether the call, and a backward from what it gives, saw it through."""
    try:
        found = function(*given, **named)
        for one in found if isinstance(found, (tuple, list)) else [found]:
            if isinstance(one, mg.Tensor) and one.requires_grad:
                one.sum().backward()
    except Exception:
        return False
    return True


def parameters_of(function):
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def calls(function, value):
    """(arguments, arguments by name), with the value in each place."""
    for tensors in ([x()], [x().detach()], [x(), x()], [x(), x(), x()]):
        yield [*tensors, value], {}
        yield [*tensors, value, value], {}
    for name in parameters_of(function):
        for tensors in ([x()], [x(), x()], [x(), x().detach()[0], x().detach()[0]]):
            yield tensors, {name: value}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SEEN.clear()
        yield


def test_the_spies_see_what_numpy_hands_them():
    for value in VALUES:
        SEEN.clear()
        np.multiply(np.ones(3), value)
        assert SEEN, type(value).__mro__


@pytest.mark.parametrize("place", PLACES)
def test_no_function_hands_an_array_to_a_number(place):
    through = 0
    for name, function in functions(PLACES[place]):
        for value in VALUES:
            for given, named in calls(function, value):
                through += attempt(function, *given, **named)
                assert SEEN == [], (place, name, type(value).__mro__[1], list(named))
    assert through > 10


def test_no_layer_hands_an_array_to_a_number():
    through = 0
    shapes = (2, 3), (2, 3, 4), (2, 3, 4, 4)
    for name in nn.__all__:
        kind = getattr(nn, name)
        if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
            continue
        for parameter in parameters_of(kind):
            for value in VALUES:
                for sizes in ([], [3], [3, 3], [3, 3, 1]):
                    made: list = []
                    attempt(lambda k=kind, s=sizes, p=parameter, v=value, m=made: m.append(
                        k(*s, **{p: v})))  # fmt: skip
                    for shape in shapes if made else ():
                        through += attempt(made[0], mg.rand(*shape, requires_grad=True))
                        through += attempt(made[0], mg.rand(*shape), mg.rand(*shape))
                    assert SEEN == [], (name, parameter, type(value).__mro__[1])
    assert through > 100


OPTIMIZERS = "Adadelta Adagrad Adam AdamW Adamax LBFGS NAdam RMSprop SGD".split()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_no_optimizer_hands_an_array_to_a_number(name):
    kind, through = getattr(mg.optim, name), 0
    for parameter in [one for one in parameters_of(kind) if one != "params"]:
        for value in (*VALUES, (FLOAT(0.9), FLOAT(0.9))):
            for later in (False, True):
                through += attempt(stepped, kind, parameter, value, later)
                assert SEEN == [], (name, parameter, later)
    assert through > 10


def stepped(kind, parameter, value, later):
    """Two steps, with an option that is given at once, or written into the group."""
    w = x()
    optimizer = kind([w], **({} if later else {parameter: value}))
    for group in optimizer.param_groups if later else ():
        group[parameter] = value
    for _ in range(2):
        w.grad = mg.ones(2, 3)
        optimizer.step(lambda: mg.tensor(1.0))
