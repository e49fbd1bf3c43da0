"""To the engine a stand-in is an array: what is done with it is seen, and a tensor keeps none."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.core import arrays, storage
from minigrad.core.observer import Observer
from minigrad.core.stand_ins import StandIn, shown
from minigrad.nn import class_checks
from minigrad.replay import record

ENGINE = [module for module in vars(mg.core).values() if hasattr(module, "__file__")]


class Seen(StandIn, np.lib.mixins.NDArrayOperatorsMixin):
    """Lets numpy do everything, and notes its name."""

    names: list = []

    def __init__(self, array):
        self.array = array

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        options |= {"out": tuple(map(plain, out))} if out else {}
        return self.noted(ufunc.__name__, getattr(ufunc, method)(*map(plain, inputs), **options))

    def __array_function__(self, function, types, arguments, options):
        return self.noted(function.__name__, function(*map(plain, arguments), **options))

    def __getattr__(self, name):
        found = getattr(self.array, name)
        if not callable(found):
            return found
        return lambda *more, **options: self.noted(name, found(*more, **options))

    def through(self, function, *more):
        return self.noted(function.__name__, function(self.array, *more))

    def noted(self, name, result):
        self.names.append(name)
        return Seen(np.asarray(result)) if isinstance(result, (np.ndarray, np.generic)) else result


@pytest.fixture
def seen():
    Seen.names = []
    return shown(mg.Tensor, "_array", lambda t: Seen(vars(t)["_array"]), keep)


def keep(t, array):
    vars(t)["_array"] = plain(array)


def plain(array):
    return array.array if isinstance(array, Seen) else array


def test_every_operation_is_seen_and_tensors_keep_the_arrays(seen, leaf):
    a, b = leaf(3), mg.arange(3.0)
    with seen:
        y = (a * b).exp().sum()
        y.backward()
    assert Seen.names[:3] == ["multiply", "exp", "sum"] and "multiply" in Seen.names[3:]
    assert a.grad.tolist() == (b.exp() * b).tolist()
    assert {type(t._array) for t in (a, b, y, a.grad)} == {np.ndarray}
    assert type(y.untyped_storage().array) is np.ndarray


def test_what_numpys_protocols_do_not_reach_is_seen_too(seen):
    scores, labels = mg.rand(2, 3), mg.tensor([0, 2])
    with seen:
        assert arrays.strided(scores._array, (2,), (4,)).array.base is not None
        class_checks.classes(scores, labels, -100)
        with mg.cuda.simulate(1 << 20):
            assert scores.cuda().cpu().tolist() == scores.tolist()
        with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t.clone()):
            x = mg.ones(2, requires_grad=True)
            (x * x).sum().backward()
    assert [n for n in Seen.names if n in ("strided", "_in_bounds", "put")] == [
        "strided", "_in_bounds", "put"
    ]  # fmt: skip
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["_array", "_grad"])
def test_after_it_the_class_is_what_it_was(name):
    before = dict(vars(mg.Tensor))
    x = mg.ones(2, requires_grad=True)
    with pytest.raises(ZeroDivisionError), shown(mg.Tensor, name, lambda t: 7, None):
        assert getattr(x, name) == 7
        1 / 0  # noqa: B018
    assert dict(vars(mg.Tensor)) == before
    assert x.grad is None and x.tolist() == [1.0, 1.0]


# -- what replay does with it --


def functions():
    """Each function of the engine, by the name under which it is called."""
    owners = [*ENGINE, *{c for m in ENGINE for c in vars(m).values() if isinstance(c, type)}]
    return {
        (owner.__name__, name): value
        for owner in owners
        for name, value in vars(owner).items()
        if callable(value) or isinstance(value, (property, staticmethod, classmethod))
    }


def test_a_recording_replaces_no_function_of_the_engine():
    found, w = [], mg.ones(3, requires_grad=True)

    def look():
        found.append(functions())

    class Look(Observer):
        def started(self, roots, keep_graph):
            look()

    before = functions()
    with Look():
        record(lambda x: (w * x).sum().backward())(mg.ones(3))
    shown = {("Tensor", name): found[0].pop(("Tensor", name)) for name in ("_array", "_grad")}
    assert len(before) > 500 and found == [before]
    assert {type(value) for value in shown.values()} == {property}


class Live(Observer):
    """The ledger whenever a node is about to run."""

    def __init__(self):
        self.bytes = []

    def visited(self, node):
        self.bytes.append(storage.live)


def test_a_gradient_that_is_a_view_is_counted_once_in_a_recording():
    w, x, found = mg.ones(100, 200, requires_grad=True), mg.ones(200), []

    def step(x):
        (w * x).T.exp().sum().backward()

    for call in (step, record(step)):
        w.grad = None
        before = storage.live
        with Live() as live:
            call(x)
        found.append([n - before for n in live.bytes])
    direct, recorded = found
    assert len(direct) == 5 and recorded == [n + x.nbytes for n in direct]  # its copy of x


class Arrivals(Observer):
    def __init__(self):
        self.seen = []

    def arrived(self, leaf, grad):
        self.seen.append((grad.tolist(), leaf._grad and leaf._grad.tolist()))

    def accumulated(self, leaf):
        self.seen.append(("accumulated", leaf._grad.tolist()))


def test_an_observer_hears_of_a_gradient_before_it_is_added(leaf):
    x = leaf(1)
    with Arrivals() as told:
        for _ in range(2):
            (x * 3).sum().backward()
    assert told.seen == [
        ([3.0], None), ("accumulated", [3.0]), ([3.0], [3.0]), ("accumulated", [6.0])
    ]  # fmt: skip
