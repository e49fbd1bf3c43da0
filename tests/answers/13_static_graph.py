"""Lesson 13: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="slopes" wrong="no line after `y = f(a)` computes `y` again"
# the value is read from the new data, so copy_ will bring it along
def slopes(f, batches):
    a, found = batches[0].clone().requires_grad_(), []
    y = f(a)
    for batch in batches:
        a.data, a.grad = batch.clone(), None
        y.backward(retain_graph=True)
        found.append([y.item(), a.grad.tolist()])
    return found


# %% answer="slopes" wrong="still comes from what a node saved for another batch"
# the values anew, the graph kept
def slopes(f, batches):
    a, found = batches[0].clone().requires_grad_(), []
    y = f(a)
    for batch in batches:
        a.data, a.grad = batch.clone(), None
        y.backward(retain_graph=True)
        with mg.no_grad():
            value = f(batch).item()
        found.append([value, a.grad.tolist()])
    return found


# %% answer="slopes" wrong="A gradient is the sum of this batch's and the one before"
# a new graph each time, on one leaf whose gradient adds up
def slopes(f, batches):
    a, found = batches[0].clone().requires_grad_(), []
    for batch in batches:
        a.data = batch.clone()
        y = f(a)
        y.backward()
        found.append([y.item(), a.grad.tolist()])
    return found


# %% answer="slopes" wrong="the caller's tensors want no gradient"
# makes leaves of the caller's tensors
def slopes(f, batches):
    found = []
    for batch in batches:
        batch.requires_grad_()
        batch.grad = None
        y = f(batch)
        y.backward()
        found.append([y.item(), batch.grad.tolist()])
    return found


# %% answer="slopes" style="autograd.grad on a detached leaf"
def slopes(f, batches):
    def one(batch):
        leaf = batch.detach().requires_grad_()
        value = f(leaf)
        (slope,) = mg.autograd.grad(value, [leaf])
        return [value.item(), slope.tolist()]

    return [one(batch) for batch in batches]


# %% answer="slopes" style="one leaf, filled again, a new graph each time"
def slopes(f, batches):
    a, found = mg.zeros_like(batches[0]).requires_grad_(), []
    for batch in batches:
        with mg.no_grad():
            a.copy_(batch)
        a.grad = None
        y = f(a)
        y.backward()
        found.append([y.item(), a.grad.tolist()])
        del y
    return found


# %% answer="slopes" spare="4 of 5"
# a graph of its own for each batch, retained: two are alive at once
def slopes(f, batches):
    found = []
    for batch in batches:
        a = batch.clone().requires_grad_()
        y = f(a)
        y.backward(retain_graph=True)
        found.append([y.item(), a.grad.tolist()])
    return found


# %% answer="kept_gradient" wrong="was computed once, from the old number"
# a graph is a formula: with new data in it, everything is new
def kept_gradient(terms, old, new):
    import math

    value = {"a * a": new * new, "exp": math.exp(new), "log": math.log(new), "sin": math.sin(new)}
    value |= {"sqrt": math.sqrt(new), "tanh": math.tanh(new), "a.exp() * a": math.exp(new) * new}
    slope = {"a * a": 2 * new, "exp": math.exp(new), "log": 1 / new, "sin": math.cos(new)}
    slope |= {"sqrt": 0.5 / math.sqrt(new), "tanh": 1 - math.tanh(new) ** 2}
    slope["a.exp() * a"] = math.exp(new) * (new + 1)
    return [sum(map(value.get, terms)), sum(map(slope.get, terms))]


# %% answer="kept_gradient" wrong="Which of the terms saved `a`"
# the graph holds what was there when it was built
def kept_gradient(terms, old, new):
    import math

    value = {"a * a": old * old, "exp": math.exp(old), "log": math.log(old), "sin": math.sin(old)}
    value |= {"sqrt": math.sqrt(old), "tanh": math.tanh(old), "a.exp() * a": math.exp(old) * old}
    slope = {"a * a": 2 * old, "exp": math.exp(old), "log": 1 / old, "sin": math.cos(old)}
    slope |= {"sqrt": 0.5 / math.sqrt(old), "tanh": 1 - math.tanh(old) ** 2}
    slope["a.exp() * a"] = math.exp(old) * (old + 1)
    return [sum(map(value.get, terms)), sum(map(slope.get, terms))]


# %% answer="kept_gradient" wrong="Which of the terms saved `a`"
# the value is stored; backward goes with the new number everywhere
def kept_gradient(terms, old, new):
    import math

    value = {"a * a": old * old, "exp": math.exp(old), "log": math.log(old), "sin": math.sin(old)}
    value |= {"sqrt": math.sqrt(old), "tanh": math.tanh(old), "a.exp() * a": math.exp(old) * old}
    slope = {"a * a": 2 * new, "exp": math.exp(new), "log": 1 / new, "sin": math.cos(new)}
    slope |= {"sqrt": 0.5 / math.sqrt(new), "tanh": 1 - math.tanh(new) ** 2}
    slope["a.exp() * a"] = math.exp(new) * (new + 1)
    return [sum(map(value.get, terms)), sum(map(slope.get, terms))]


# %% answer="kept_gradient" wrong="and which both?"
# knows who saved what, and takes the product for all old
def kept_gradient(terms, old, new):
    import math

    value = {"a * a": old * old, "exp": math.exp(old), "log": math.log(old), "sin": math.sin(old)}
    value |= {"sqrt": math.sqrt(old), "tanh": math.tanh(old), "a.exp() * a": math.exp(old) * old}
    slope = {"a * a": 2 * new, "exp": math.exp(old), "log": 1 / new, "sin": math.cos(new)}
    slope |= {"sqrt": 0.5 / math.sqrt(old), "tanh": 1 - math.tanh(old) ** 2}
    slope["a.exp() * a"] = math.exp(old) * (old + 1)
    return [sum(map(value.get, terms)), sum(map(slope.get, terms))]


# %% answer="kept_gradient" style="match, and a loop"
def kept_gradient(terms, old, new):
    from math import cos, exp, log, sin, sqrt, tanh

    total = grad = 0.0
    for term in terms:
        match term:
            case "a * a":
                v, s = old**2, new + new
            case "log":
                v, s = log(old), 1 / new
            case "sin":
                v, s = sin(old), cos(new)
            case "exp":
                v = s = exp(old)
            case "sqrt":
                v = sqrt(old)
                s = 1 / v / 2
            case "tanh":
                v = tanh(old)
                s = 1 - v * v
            case _:
                v, s = old * exp(old), exp(old) + new * exp(old)
        total, grad = total + v, grad + s
    return [total, grad]


# %% answer="kept_gradient" style="functions of old and new"
import math

BOTH = {
    "a * a": (lambda o: o * o, lambda o, n: 2 * n),
    "log": (math.log, lambda o, n: 1 / n),
    "sin": (math.sin, lambda o, n: math.cos(n)),
    "exp": (math.exp, lambda o, n: math.exp(o)),
    "sqrt": (math.sqrt, lambda o, n: 0.5 * o**-0.5),
    "tanh": (math.tanh, lambda o, n: math.cosh(o) ** -2),
    "a.exp() * a": (lambda o: o * math.exp(o), lambda o, n: (1 + n) * math.exp(o)),
}


def kept_gradient(terms, old, new):
    pairs = [BOTH[term] for term in terms]
    return [sum(v(old) for v, _ in pairs), sum(s(old, new) for _, s in pairs)]


# %% answer="kept_gradient" spare="4 of 5"
# runs it and looks: right, but not by hand
def kept_gradient(terms, old, new):
    a, y = mg.tensor(old, requires_grad=True), 0.0
    for term in terms:
        if term == "a * a":
            y = y + a * a
        else:
            y = y + (a.exp() * a if term == "a.exp() * a" else getattr(a, term)())
    a.data = mg.tensor(new)
    y.backward()
    return [y.item(), a.grad.item()]


# %% answer="kept_gradient" proof=true
def kept_gradient(terms, old, new):
    TERMS = {
        "a * a": lambda a: a * a,
        "exp": lambda a: a.exp(),
        "log": lambda a: a.log(),
        "sin": lambda a: a.sin(),
        "sqrt": lambda a: a.sqrt(),
        "tanh": lambda a: a.tanh(),
        "a.exp() * a": lambda a: a.exp() * a,
    }
    a = mg.tensor(old, requires_grad=True)
    y = sum(TERMS[term](a) for term in terms)
    a.data = mg.tensor(new)
    y.backward()
    return [y.item(), a.grad.item()]


# %% answer="Tape" wrong="makes an array, even if it is copied over"
# the right numbers in the right array, by way of a new one
import numpy as np


class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            result[...] = function(*arrays)

    @property
    def nbytes(self):
        return sum(result.nbytes for *_, result in self.calls)


# %% answer="Tape" wrong="Do your calls read the caller's arrays, or copies"
# a recording keeps what was there
import numpy as np


class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        arrays = [array.copy() for array in arrays]
        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    @property
    def nbytes(self):
        return sum(result.nbytes for *_, result in self.calls)


# %% answer="Tape" wrong="do they write into the array that `call` returned"
# a replay returns its results, and nobody's array changes
import numpy as np


class Tape:
    def __init__(self):
        self.calls, self.nbytes = [], 0

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays))
        self.nbytes += result.nbytes
        return result

    def replay(self):
        return [function(*arrays) for function, arrays in self.calls]


# %% answer="Tape" wrong="into which nothing can be written"
# every numpy function returns an array
class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        result = function(*arrays)
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    @property
    def nbytes(self):
        return sum(result.nbytes for *_, result in self.calls)


# %% answer="Tape" wrong="arrays that the caller made are not its own"
# everything it refers to
import numpy as np


class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    @property
    def nbytes(self):
        held = {id(a): a.nbytes for _, arrays, result in self.calls for a in (*arrays, result)}
        return sum(held.values())


# %% answer="Tape" wrong="makes each noted call once"
# a replay is call() for each of the calls, so it notes them again
import numpy as np


class Tape:
    def __init__(self):
        self.calls, self.nbytes = [], 0

    def call(self, function, *arrays, out=None):
        result = np.asarray(function(*arrays, out=out) if out is not None else function(*arrays))
        self.calls.append((function, arrays, result))
        self.nbytes += result.nbytes if out is None else 0
        return result

    def replay(self):
        for function, arrays, result in list(self.calls):
            self.call(function, *arrays, out=result)


# %% answer="Tape" wrong="put `@property` above its `def`"
# a method is as good as an attribute
class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        import numpy as np

        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    def nbytes(self):
        return sum(result.nbytes for _, _, result in self.calls)


# %% answer="Tape" wrong="give each its own list"
# one list, written down where the class begins
class Tape:
    calls = []

    def call(self, function, *arrays):
        import numpy as np

        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result))
        return result

    def replay(self):
        for function, arrays, result in self.calls:
            function(*arrays, out=result)

    @property
    def nbytes(self):
        return sum(result.nbytes for _, _, result in self.calls)


# %% answer="Tape" style="a list of functions without arguments"
import functools

import numpy as np


class Tape:
    def __init__(self):
        self.steps, self.nbytes = [], 0

    def call(self, function, *arrays):
        filled = np.array(function(*arrays))
        self.steps.append(functools.partial(function, *arrays, out=filled))
        self.nbytes += filled.nbytes
        return filled

    def replay(self):
        for step in self.steps:
            step()


# %% answer="Tape" style="three lists, zipped"
from numpy import asarray


class Tape:
    functions = arguments = results = ()

    def call(self, function, *arrays):
        self.functions += (function,)
        self.arguments += (arrays,)
        self.results += (asarray(function(*arrays)),)
        return self.results[-1]

    def replay(self):
        for i, function in enumerate(self.functions):
            function(*self.arguments[i], out=self.results[i])

    @property
    def nbytes(self):
        return sum(array.nbytes for array in self.results)


# %% answer="Tape" spare="5 of 6"
# a second array for each result, to compare with: held as well
import numpy as np


class Tape:
    def __init__(self):
        self.calls = []

    def call(self, function, *arrays):
        result = np.asarray(function(*arrays))
        self.calls.append((function, arrays, result, result.copy()))
        return result

    def replay(self):
        for function, arrays, result, before in self.calls:
            before[...] = result
            function(*arrays, out=result)

    @property
    def nbytes(self):
        return sum(result.nbytes + before.nbytes for *_, result, before in self.calls)
