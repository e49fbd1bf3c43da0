"""Lesson 03: honest answers in further styles."""


# %% answer="backward_order" style="simulated nodes with __slots__, list sorted by age, prints"
class N:
    __slots__ = ("name", "age", "inputs", "waits")

    def __init__(self, name, age, inputs=()):
        self.name, self.age, self.inputs, self.waits = name, age, list(inputs), 0

    def __repr__(self):
        return f"N({self.name!r}, waits={self.waits})"


def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    byName = {}
    for k, (name, *args) in enumerate(lines):
        for a in args:
            if a not in byName:
                byName[a] = N(a, float("inf"))
        byName[name] = N(name, k, [byName[a] for a in args])
    last = byName[lines[-1][0]]
    reached, stack = {last}, [last]
    while stack:
        for nxt in stack.pop().inputs:
            nxt.waits += 1
            if nxt not in reached:
                reached.add(nxt)
                stack.append(nxt)
    ready, result = [last], []
    while len(ready) > 0:
        ready.sort(key=lambda n: n.age)
        n = ready.pop()
        result.append(n.name)
        for nxt in n.inputs:
            nxt.waits -= 1
            if nxt.waits == 0:
                ready.append(nxt)
    return result


print(backward_order([("p", "a"), ("q", "p", "b"), ("r", "p", "q")]))


# %% answer="backward_order" style="itertools and a sort key, recursion for what is reached"
from functools import lru_cache
from itertools import chain


def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    inputs = {name: tuple(rest) for name, *rest in lines}

    @lru_cache(maxsize=None)
    def below(name):
        return frozenset({name}).union(*(below(i) for i in inputs.get(name, ())))

    reached = below(lines[-1][0])
    when = {name: -i for i, (name, *_) in enumerate(lines) if name in reached}

    def key(name):
        if name in when:
            return when[name], 0, 0
        # a leaf comes right after the earliest line that uses it
        user = max((when[n], n) for n in when if name in inputs[n])
        return user[0], 1, inputs[user[1]].index(name)

    names = dict.fromkeys(chain.from_iterable([n, *i] for n, i in inputs.items()))
    return sorted((n for n in names if n in reached), key=key)


# %% answer="backward_order" style="a generator with a dict of open uses, explained at length"
def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""

    def walk():
        # 1. which lines does backward reach at all?
        on = set([lines[-1][0]])
        for line in lines[::-1]:
            if line[0] in on:
                on.update(line[1:])
        # 2. how many times is each name still to get a gradient?
        open_uses = dict()
        for line in lines:
            if line[0] in on:
                for used in line[1:]:
                    open_uses[used] = open_uses.get(used, 0) + 1
        # 3. from the newest line to the oldest
        results = [line[0] for line in lines]
        for line in lines[::-1]:
            if line[0] not in on:
                continue
            yield line[0]
            for used in line[1:]:
                open_uses[used] -= 1
                if not open_uses[used] and used not in results:
                    yield used

    return list(walk())


# %% answer="grads_and_bytes" style="a table as text, parsed; numpy for the bytes"
import numpy as np


def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    table = """
    b = a * p              | b
    c = b * b              | b c
    c.retain_grad()        | b c
    del b                  | b c
    backward               | c c.grad a.grad
    kept = a.grad          | c c.grad a.grad
    backward, added        | c c.grad a.grad
    a.grad = None          | c c.grad kept
    backward, new          | c c.grad kept a.grad
    """
    alive = [line.split("|")[1].split() for line in table.strip().splitlines()]
    counts = np.array([len(names) for names in alive])
    dc = q
    da = 2 * p * p * dc
    return (counts * rows * columns * 4).tolist(), [da + q, q, dc]


# %% answer="grads_and_bytes" style="a simulation with references by hand, namedtuple at the end"
from collections import namedtuple

Answer = namedtuple("Answer", "bytes values")


def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    u = rows * columns * 4
    alive = {}
    history = []

    def after(**changes):
        for name, there in changes.items():
            if there:
                alive[name] = u
            else:
                del alive[name]
        history.append(sum(alive.values()))

    after(b=True)
    after(c=True)
    after()
    after()
    after(b=False, grad_c=True, grad_a=True)
    grad_c = q * 1.0
    grad_a = grad_c * 2 * p * p
    after()
    kept = [grad_a]
    after()
    kept[0] += q  # in place
    after()
    after(new_grad_a=True)
    grad_a = q * 1.0
    return Answer(history, [kept[0], grad_a, grad_c])


# %% answer="grads_and_bytes" style="one-liner of comprehension, lambda with a name"
grads_and_bytes = lambda rows, columns, p, q: (  # noqa: E731
    [4 * rows * columns * int(k) for k in "122233334"],
    [2 * p**2 * q + q, q, q],
)

print(grads_and_bytes(2, 2, 3.0, 5.0))


# %% answer="mean_gradient" style="contextlib: a context manager that averages on leaving, warnings"
import contextlib
import warnings


@contextlib.contextmanager
def averaged(weight, n):
    weight.grad = None
    try:
        yield
    finally:
        if weight.grad is None:
            warnings.warn("no part had a gradient")
        else:
            with mg.no_grad():
                weight.grad = weight.grad / n


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    losses = []
    with averaged(w, len(parts)):
        for part in parts:
            h = (part @ w).tanh()
            loss = (h**2).sum()
            del h
            loss.backward()
            losses.append(loss.item())
            del loss
    return sum(losses) / len(losses)


# %% answer="mean_gradient" style="partial, reduce, a small test below with assert"
from functools import partial, reduce


def add_share(share, w, total, part):
    loss = share * (part @ w).tanh().pow(2).sum()
    loss.backward()
    return total + float(loss)


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    w.grad = None
    return reduce(partial(add_share, 1 / len(parts), w), parts, 0.0)


_w = mg.ones(2, 2, requires_grad=True)
_m = mean_gradient(_w, [mg.ones(3, 2), mg.zeros(3, 2)])
assert _w.grad is not None and _m > 0, (_w.grad, _m)
del _w, _m


# %% answer="net_by_hand" style="a dataclass cache, popped while walking back"
from dataclasses import dataclass


@dataclass
class Cache:
    h: object = None
    y: object = None

    def pop(self, name):
        value = getattr(self, name)
        setattr(self, name, None)
        return value


def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    cache = Cache()
    with mg.no_grad():
        cache.h = (x @ w1).tanh()
        cache.y = cache.h @ w2
        loss = cache.y.pow(2).sum().item()
        g = cache.pop("y").mul(2)
        grad_w2 = cache.h.t() @ g
        g = g @ w2.t()
        g = g * cache.pop("h").square_().neg_().add_(1) if hasattr(g, "square_") else g * (
            1 - cache.pop("h") ** 2
        )
        grad_w1 = x.t() @ g
    return loss, grad_w1, grad_w2


# %% answer="net_by_hand" style="French names, previous grad mode restored in finally"
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    avant = mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    try:
        cachee = mg.tanh(x @ w1)
        sortie = cachee @ w2
        perte = float((sortie * sortie).sum())
        sortie *= 2.0  # gradient de la sortie
        grad_w2 = cachee.t() @ sortie
        amont = sortie @ w2.t()
        del sortie
        pente = 1.0 - cachee * cachee
        del cachee
        amont *= pente
        return perte, x.t() @ amont, grad_w2
    finally:
        mg.set_grad_enabled(avant)


# %% answer="mean_gradient" style="tqdm-free progress with sys.stdout, time.sleep-free, tracemalloc"
import sys
import tracemalloc


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    tracemalloc.start()
    w.grad = None
    n, mean = len(parts), 0.0
    for i, part in enumerate(parts, 1):
        loss = ((part @ w).tanh() ** 2).sum() / n
        loss.backward()
        mean += loss.item()
        del loss
        sys.stdout.write(f"\r{i}/{n}")
        sys.stdout.flush()
    tracemalloc.stop()
    return mean


# %% answer="net_by_hand" style="numpy does the mathematics, from_numpy at the end, warnings caught"
import warnings


def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with warnings.catch_warnings(), mg.no_grad():
        warnings.simplefilter("error")
        h = x @ w1
        h.tanh_()
        y = h @ w2
        loss = y.square().sum().item()
        y.mul_(2)
        d2 = h.t() @ y
        d = y @ w2.t()
        del y
        h.square_() if hasattr(h, "square_") else h.pow_(2)
        h.neg_().add_(1)
        d.mul_(h)
        del h
        d1 = x.t() @ d
    return loss, d1, d2
