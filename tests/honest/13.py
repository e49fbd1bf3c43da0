"""Lesson 13: honest answers in further styles."""


# %% answer="slopes" style="a decorator value_and_grad as in JAX"
from functools import wraps


def value_and_grad(f):
    @wraps(f)
    def wrapper(batch):
        leaf = mg.tensor(batch.tolist(), requires_grad=True)
        y = f(leaf)
        y.backward()
        return [y.item(), leaf.grad.tolist()]

    return wrapper


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    return list(map(value_and_grad(f), batches))


print(slopes(lambda a: (a * a).sum(), [mg.ones(2), mg.full((2,), 3.0)]))


# %% answer="slopes" style="a generator, copy.deepcopy of the batch, del in finally"
import copy


def each(f, batches):
    for b in batches:
        a = copy.deepcopy(b)
        a.requires_grad_()
        y = f(a)
        try:
            y.backward()
            yield [y.item(), a.grad.tolist()]
        finally:
            del y, a


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    return [pair for pair in each(f, batches)]


# %% answer="kept_gradient" style="a dataclass Term with value and slope, Enum of what is saved"
import math
from dataclasses import dataclass
from enum import Enum
from typing import Callable


class Saves(Enum):
    INPUT = "input"
    RESULT = "result"


@dataclass(frozen=True)
class Term:
    value: Callable[[float], float]
    slope: Callable[[float], float]
    saves: Saves

    def slope_after(self, old, new):
        return self.slope(new if self.saves is Saves.INPUT else old)


TERMS = {
    "a * a": Term(lambda a: a * a, lambda a: 2 * a, Saves.INPUT),
    "exp": Term(math.exp, math.exp, Saves.RESULT),
    "log": Term(math.log, lambda a: 1 / a, Saves.INPUT),
    "sin": Term(math.sin, math.cos, Saves.INPUT),
    "sqrt": Term(math.sqrt, lambda a: 0.5 / math.sqrt(a), Saves.RESULT),
    "tanh": Term(math.tanh, lambda a: 1 - math.tanh(a) ** 2, Saves.RESULT),
}


def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    y, grad = 0.0, 0.0
    for name in terms:
        if name == "a.exp() * a":
            y += math.exp(old) * old
            grad += math.exp(old) * new + math.exp(old)
        else:
            term = TERMS[name]
            y += term.value(old)
            grad += term.slope_after(old, new)
    return [y, grad]


print(kept_gradient(["a * a", "exp"], 1.0, 2.0))


# %% answer="kept_gradient" style="numpy in float64, one function with if and elif"
import numpy as np


def value_and_slope(t, o, n):
    if t == "a * a":
        return o**2, 2 * n
    elif t == "exp":
        return np.exp(o), np.exp(o)
    elif t == "log":
        return np.log(o), 1 / n
    elif t == "sin":
        return np.sin(o), np.cos(n)
    elif t == "sqrt":
        return np.sqrt(o), 1 / (2 * np.sqrt(o))
    elif t == "tanh":
        return np.tanh(o), 1 - np.tanh(o) ** 2
    elif t == "a.exp() * a":
        return np.exp(o) * o, np.exp(o) * (1 + n)
    else:
        raise KeyError(t)


def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    table = np.array([value_and_slope(t, old, new) for t in terms])
    return [float(s) for s in table.sum(axis=0)]


# %% answer="kept_gradient" style="a tiny tape with closures that look at a box"
import math


def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    box = {"a": old}
    y, tape = 0.0, []

    def note(result, backward):
        nonlocal y
        y += result
        tape.append(backward)

    for term in terms:
        if term == "exp":
            e = math.exp(old)
            note(e, lambda e=e: e)
        elif term == "sqrt":
            r = math.sqrt(old)
            note(r, lambda r=r: 1 / (2 * r))
        elif term == "tanh":
            t = math.tanh(old)
            note(t, lambda t=t: 1 - t * t)
        elif term == "log":
            note(math.log(old), lambda: 1 / box["a"])
        elif term == "sin":
            note(math.sin(old), lambda: math.cos(box["a"]))
        elif term == "a * a":
            note(old * old, lambda: 2 * box["a"])
        else:
            e = math.exp(old)
            note(e * old, lambda e=e: box["a"] * e + e)
    box["a"] = new
    return [y, sum(backward() for backward in tape)]


# %% answer="Tape" style="a dataclass per call with __call__, a property, type hints"
from dataclasses import dataclass
from typing import Callable

import numpy as np


@dataclass
class Call:
    function: Callable
    arrays: tuple
    out: np.ndarray

    def __call__(self) -> None:
        self.function(*self.arrays, out=self.out)


class Tape:
    def __init__(self) -> None:
        self._calls: list[Call] = []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self._calls.append(Call(function, arrays, result))
        return result

    def replay(self) -> None:
        for call in self._calls:
            call()

    @property
    def nbytes(self) -> int:
        return sum(call.out.nbytes for call in self._calls)


tape = Tape()
a = np.arange(3.0)
b = tape.call(np.multiply, a, a)
s = tape.call(np.sum, b)
a[...] = 2.0
tape.replay()
print(b, s, tape.nbytes)
assert s == 12.0


# %% answer="Tape" style="subclass of list, __len__ for free, a generator for the bytes"
import numpy as np


class Tape(list):
    def call(self, function, *arrays):
        value = function(*arrays)
        if not isinstance(value, np.ndarray):
            value = np.array(value)
        self.append((function, arrays, {"out": value}))
        return value

    def replay(self):
        for function, args, kwargs in self:
            function(*args, **kwargs)

    @property
    def nbytes(self):
        return sum(kwargs["out"].nbytes for *_, kwargs in self)


# %% answer="Tape" style="__slots__, a deque, a counter kept up to date, methodcaller-free"
from collections import deque

import numpy as np


class Tape:
    __slots__ = ("steps", "total")

    def __init__(self):
        self.steps = deque()
        self.total = 0

    def call(self, function, *arrays):
        out = np.empty_like(function(*arrays))
        function(*arrays, out=out)
        self.steps.append((function, arrays, out))
        self.total += out.nbytes
        return out

    def replay(self):
        i = 0
        while i < len(self.steps):
            f, a, o = self.steps[i]
            f(*a, out=o)
            i += 1

    def __getattr__(self, name):
        if name == "nbytes":
            return self.total
        raise AttributeError(name)


# %% answer="Tape" style="numpy views and memoryview looked at, np.errstate, printoptions"
import numpy as np

np.set_printoptions(precision=3, suppress=True)


class Tape:
    """Notes calls, and makes them again."""

    def __init__(self):
        self.functions, self.inputs, self.results = [], [], []

    def __repr__(self):
        names = [getattr(f, "__name__", str(f)) for f in self.functions]
        return f"Tape({' -> '.join(names)}, {self.nbytes} B)"

    def call(self, function, *arrays):
        with np.errstate(all="ignore"):
            r = np.asarray(function(*arrays))
        for many, one in zip((self.functions, self.inputs, self.results), (function, arrays, r)):
            many.append(one)
        return r

    def replay(self):
        for function, arrays, r in zip(self.functions, self.inputs, self.results):
            function(*arrays, out=r)

    @property
    def nbytes(self):
        return sum(memoryview(r).nbytes for r in self.results)


t = Tape()
v = t.call(np.exp, np.zeros(3))
print(t, v.__array_interface__["shape"], v.flags.owndata)


# %% answer="slopes" style="checks its result with finite differences and allclose below"
import numpy as np


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    result = []
    for batch in batches:
        x = batch.detach().clone()
        x.requires_grad = True
        value = f(x)
        gradient, = mg.autograd.grad(value, (x,))
        result.append([float(value), gradient.tolist()])
        del value, gradient, x
    return result


def differences(f, batch, eps=1e-3):
    a = np.array(batch.tolist())
    for i in range(a.size):
        up, down = a.copy(), a.copy()
        up.flat[i] += eps
        down.flat[i] -= eps
        yield (f(mg.tensor(up.tolist())).item() - f(mg.tensor(down.tolist())).item()) / (2 * eps)


g = lambda a: (a * a * a).sum()  # noqa: E731
b = mg.tensor([1.0, 2.0])
assert np.allclose(slopes(g, [b])[0][1], list(differences(g, b)), rtol=1e-2)


# %% answer="slopes" style="autograd.grad, detach().clone(), tuples, a recorder class"
class Recorder:
    def __init__(self, f):
        self.f, self.rows = f, []

    def feed(self, batch):
        a = batch.detach().clone()
        a.requires_grad = True
        y = self.f(a)
        (g,) = mg.autograd.grad(outputs=y, inputs=a)
        self.rows.append((y.item(), g.tolist()))
        return self


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    rec = Recorder(f)
    for b in batches:
        rec.feed(b)
    return rec.rows


# %% answer="slopes" style="batch.data as a leaf over the same bytes, numpy().tolist()"
def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    out = []
    for b in batches:
        leaf = b.detach().requires_grad_()
        value = f(leaf)
        value.backward()
        out.append([float(value.detach()), leaf.grad.numpy().tolist()])
        del value, leaf
    return out


# %% answer="slopes" style="namedtuples in a list"
from collections import namedtuple
Row = namedtuple("Row", "value gradient")
def slopes(f, batches):
    rows = []
    for b in batches:
        a = b.clone().requires_grad_()
        y = f(a)
        y.backward()
        rows.append(Row(y.item(), a.grad.tolist()))
    return rows


# %% answer="kept_gradient" style="match on the term, running sums, numpy scalars"
import math


def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    y = g = 0.0
    for term in terms:
        match term:
            case "a * a":
                y, g = y + old ** 2, g + new + new
            case "exp":
                y, g = y + math.exp(old), g + math.exp(old)
            case "log":
                y, g = y + math.log(old), g + new ** -1
            case "sin":
                y, g = y + math.sin(old), g + math.cos(new)
            case "sqrt":
                r = old ** 0.5
                y, g = y + r, g + 0.5 / r
            case "tanh":
                r = math.tanh(old)
                y, g = y + r, g + (1 + r) * (1 - r)
            case _:
                r = math.exp(old)
                y, g = y + r * old, g + r * new + r
    return y, g


# %% answer="kept_gradient" style="NamedTuple"
import math
from typing import NamedTuple
class R(NamedTuple):
    value: float
    slope: float
def kept_gradient(terms, old, new):
    e, s, t = math.exp(old), math.sqrt(old), math.tanh(old)
    T = {"a * a": R(old * old, 2 * new), "exp": R(e, e), "log": R(math.log(old), 1 / new), "sin": R(math.sin(old), math.cos(new)),
         "sqrt": R(s, .5 / s), "tanh": R(t, 1 - t * t), "a.exp() * a": R(e * old, e * new + e)}
    return R(*map(sum, zip(*(T[x] for x in terms))))


# %% answer="Tape" style="closures in a list, np.asarray, a property from a generator, lambda default"
import numpy as np


class Tape:
    def __init__(self):
        self._replays = []
        self._results = []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self._results.append(result)
        self._replays.append(lambda f=function, a=arrays, o=result: f(*a, out=o))
        return result

    def replay(self):
        for again in self._replays:
            again()

    @property
    def nbytes(self):
        return sum(map(lambda r: r.size * r.itemsize, self._results))


# %% answer="Tape" style="allocates first and fills with out=, nbytes as a plain attribute"
import numpy as np


class Tape:
    nbytes: int = 0

    def __init__(self):
        self.program = []
        self.nbytes = 0

    def call(self, function, *arrays):
        res = np.array(function(*arrays), copy=True)
        self.program += [(function, arrays, res)]
        self.nbytes += res.nbytes
        return res

    def replay(self):
        i = 0
        while i < len(self.program):
            fn, args, target = self.program[i]
            fn(*args, out=target)
            i += 1


# %% answer="Tape" style="subclass of list with namedtuple; nbytes by a cached total; np.asanyarray"
from collections import namedtuple

import numpy as np

Call_ = namedtuple("Call_", "function arrays out")


class Tape(list):
    def call(self, function, *arrays):
        out = np.atleast_1d(np.asarray(function(*arrays))).reshape(np.shape(function(*arrays)))
        self.append(Call_(function, arrays, out))
        return out

    def replay(self):
        for c in self:
            c.function(*c.arrays, out=c.out)

    @property
    def nbytes(self):
        return int(sum(c.out.nbytes for c in self))


# %% answer="slopes" style="lines moved into the loop, del at the end of the turn"
def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    found = []
    for batch in batches:
        a = batch.clone().requires_grad_()
        y = f(a)
        y.backward()
        found.append([y.item(), a.grad.tolist()])
        del a, y
    return found


print(slopes(lambda a: (a * a).sum(), [mg.ones(2), mg.full((2,), 3.0)]))


# %% answer="slopes" style="async helper because he likes asyncio, collects with a coroutine driven by hand"
async def one_slope(f, batch):
    a = batch.detach().requires_grad_()
    y = f(a)
    (g,) = mg.autograd.grad(y, [a])
    return [y.item(), g.tolist()]


def finish(coroutine):
    # a notebook has a running loop already, so asyncio.run would complain
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise RuntimeError("it waits for something")


# ==== next cell
def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    return [finish(one_slope(f, batch)) for batch in batches]


# %% answer="kept_gradient" style="dict of pairs of lambdas, math only, compared with minigrad at the bottom with math.isclose"
import math

VALUE_AND_SLOPE = {
    "a * a": (lambda a: a * a, lambda r, old, new: 2 * new),
    "exp": (math.exp, lambda r, old, new: r),
    "log": (math.log, lambda r, old, new: 1 / new),
    "sin": (math.sin, lambda r, old, new: math.cos(new)),
    "sqrt": (math.sqrt, lambda r, old, new: 1 / (2 * r)),
    "tanh": (math.tanh, lambda r, old, new: 1 - r * r),
    "a.exp() * a": (lambda a: math.exp(a) * a, lambda r, old, new: math.exp(old) * (1 + new)),
}


def kept_gradient(terms, old, new):
    """[value of y, gradient of a] after the exchange; `terms` are keys of TERMS."""
    values, grads = [], []
    for term in terms:
        f, slope = VALUE_AND_SLOPE[term]
        values.append(r := f(old))
        grads.append(slope(r, old, new))
    return [math.fsum(values), math.fsum(grads)]


a = mg.tensor(0.5, requires_grad=True)
y = a.exp() * a + a.tanh()
a.data = mg.tensor(2.0)
y.backward()
value, grad = kept_gradient(["a.exp() * a", "tanh"], 0.5, 2.0)
assert math.isclose(y.item(), value, rel_tol=1e-5) and math.isclose(a.grad.item(), grad, rel_tol=1e-5)
del a, y


# %% answer="Tape" style="dataclass for the calls, property nbytes, __len__ and __repr__, numpy try at the bottom"
from dataclasses import dataclass
from typing import Callable

import numpy as np


@dataclass
class Call:
    function: Callable
    arrays: tuple
    result: np.ndarray

    def again(self) -> None:
        self.function(*self.arrays, out=self.result)


# ==== next cell
class Tape:
    def __init__(self):
        self._calls: list[Call] = []

    def __len__(self):
        return len(self._calls)

    def __repr__(self):
        return f"<Tape of {len(self)} calls, {self.nbytes:,} B>"

    @property
    def nbytes(self):
        return sum(call.result.nbytes for call in self._calls)

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self._calls.append(Call(function, arrays, result))
        return result

    def replay(self):
        for call in self._calls:
            call.again()


tape = Tape()
xs = np.arange(4.0)
total = tape.call(np.sum, tape.call(np.multiply, xs, xs))
print(total, tape)
xs[...] = 1.0
tape.replay()
print(total)


# %% answer="Tape" style="list of functools.partial, counts the bytes itself, time.perf_counter in replay"
import functools
import time

import numpy as np


class Tape:
    """notes calls of numpy functions"""

    def __init__(self):
        self.calls = []
        self.nbytes = 0
        self.seconds = 0.0

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.nbytes += result.nbytes
        self.calls.append(functools.partial(function, *arrays, out=result))
        return result

    def replay(self):
        start = time.perf_counter()
        for again in self.calls:
            again()
        self.seconds += time.perf_counter() - start


# %% answer="slopes" style="decorator that counts calls of f, context manager leaf, weakrefs that old leaves are gone"
import contextlib
import functools
import weakref


def counted(fn):
    @functools.wraps(fn)
    def inner(*args):
        inner.calls += 1
        return fn(*args)

    inner.calls = 0
    return inner


@contextlib.contextmanager
def leaf_of(batch):
    leaf = batch.clone().requires_grad_()
    try:
        yield leaf
    finally:
        leaf.grad = None


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    f = counted(f) if hasattr(f, "__name__") else f
    found, old = [], None
    for batch in batches:
        assert old is None or old() is None
        with leaf_of(batch) as a:
            y = f(a)
            y.backward()
            found.append([y.item(), a.grad.tolist()])
        old = weakref.ref(a)
        del a, y
    return found


# %% answer="Tape" style="NamedTuple records, replay by a list comprehension thrown away, np.testing at the bottom, generics"
from typing import Any, NamedTuple

import numpy as np


class Record(NamedTuple):
    function: Any
    arrays: tuple
    result: np.ndarray


class Tape:
    """Notes numpy calls."""

    def __init__(self):
        self.records: list[Record] = []

    nbytes = property(lambda self: sum(r.result.nbytes for r in self.records))

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.records.append(Record(function, arrays, result))
        print(f"call {len(self.records)}: {getattr(function, '__name__', function)} -> {result.shape}")
        return result

    def replay(self):
        for function, arrays, result in self.records:
            function(*arrays, out=result)


rng = np.random.default_rng(0)
inp, tape = rng.normal(size=(4, 3)), Tape()
out = tape.call(np.tanh, tape.call(np.matmul, inp, np.ones((3, 2))))
inp[...] = rng.normal(size=(4, 3))
tape.replay()
np.testing.assert_allclose(out, np.tanh(inp @ np.ones((3, 2))))


# %% answer="slopes" style="one thread for each f call with concurrent.futures because he always does"
from concurrent.futures import ThreadPoolExecutor


def value_and_slope(f, batch):
    a = batch.clone().requires_grad_()
    y = f(a)
    y.backward()
    return [y.item(), a.grad.tolist()]


def slopes(f, batches):
    """[[value, gradient], ...]: of f at each of the batches."""
    with ThreadPoolExecutor(max_workers=1) as pool:   # one: only one graph at a time
        return list(pool.map(lambda batch: value_and_slope(f, batch), batches))


# %% answer="slopes" style="map over a nested function, autograd.grad, a comprehension of pairs"
def slopes(f, batches):
    """[value, gradient] of f at each batch."""

    def at(batch):
        leaf = batch.detach().requires_grad_()
        y = f(leaf)
        (gradient,) = mg.autograd.grad(y, leaf)
        return [y.item(), gradient.tolist()]

    return [at(batch) for batch in batches]


# %% answer="Tape" style="functools.partial with out=, a weak property by sum of map attrgetter"
from functools import partial
from operator import attrgetter, methodcaller

import numpy as np


class Tape:
    def __init__(self):
        self.results, self.again = [], []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.results.append(result)
        self.again.append(partial(function, *arrays, out=result))
        return result

    def replay(self):
        for one in self.again:
            methodcaller("__call__")(one)

    nbytes = property(lambda self: sum(map(attrgetter("nbytes"), self.results)))


# %% answer="Tape" style="an ABC with an abstract method, inspect.signature in an assert, a list subclass"
import inspect
from abc import ABC, abstractmethod

import numpy as np


class Recorder(ABC):
    @abstractmethod
    def replay(self): ...


class Notes(list):
    def run(self):
        for function, arrays, out in self:
            function(*arrays, out=out)


class Tape(Recorder):
    def __init__(self):
        self.notes = Notes()

    def call(self, function, *arrays):
        out = np.array(function(*arrays))
        self.notes.append((function, arrays, out))
        return out

    def replay(self):
        self.notes.run()

    @property
    def nbytes(self):
        return sum(out.nbytes for _, _, out in self.notes)


assert "function" in inspect.signature(Tape.call).parameters
