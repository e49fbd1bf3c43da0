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


# %% answer="backward_order" style="a priority queue with heapq, as in PyTorch's engine.cpp"
import heapq


def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    seq = {l[0]: k for k, l in enumerate(lines)}
    ins = {l[0]: list(l[1:]) for l in lines}
    root = lines[-1][0]
    deps, stack, seen = {}, [root], {root}
    while stack:
        n = stack.pop()
        for i in ins.get(n, []):
            deps[i] = deps.get(i, 0) + 1
            if i not in seen:
                seen.add(i)
                stack.append(i)
    key = lambda n: -seq[n] if n in seq else -10**9
    heap, out = [(key(root), root)], []
    while heap:
        _, n = heapq.heappop(heap)
        out.append(n)
        for i in ins.get(n, ()):
            deps[i] -= 1
            if not deps[i]:
                heapq.heappush(heap, (key(i), i))
    return out


# %% answer="backward_order" style="doctest, recursion for the reachable, yields and sorted with a key"
def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes.

    >>> backward_order([("p", "a"), ("q", "p", "b")])
    ['q', 'b', 'p', 'a']
    """
    table = {name: args for name, *args in lines}
    last_use = {}

    def reach(name, user=None):
        for arg in table.get(name, ()):
            if arg not in table:
                last_use[arg] = min(last_use.get(arg, len(order)), order.index(name))
            reach(arg, name)

    order = [name for name, *_ in lines]
    reach(order[-1])

    def reachable(name):
        return {name}.union(*[reachable(a) for a in table.get(name, ())])

    needed = reachable(order[-1])

    def walk():
        for k in range(len(order) - 1, -1, -1):
            if order[k] in needed:
                yield order[k]
                yield from [a for a in dict.fromkeys(table[order[k]]) if last_use.get(a) == k]

    return list(walk())


import doctest
doctest.run_docstring_examples(backward_order, globals())


# %% answer="backward_order" style="dict keys as the order, deque returned?"
from collections import deque
def backward_order(lines):
    order, needed, made = deque(), {lines[-1][0]}, {l[0] for l in lines}
    for name, *ins in reversed(lines):
        if name in needed: needed.update(ins)
    left = {}
    for name, *ins in lines:
        if name in needed:
            for i in ins: left[i] = left.get(i, 0) + 1
    for name, *ins in reversed(lines):
        if name not in needed: continue
        order.append(name)
        for i in ins:
            left[i] -= 1
            if not left[i] and i not in made: order.append(i)
    return list(order)


# %% answer="backward_order" style="tuple"
def backward_order(lines):
    needed, made = {lines[-1][0]}, {n for n, *_ in lines}
    for n, *ins in reversed(lines): needed |= set(ins) if n in needed else set()
    out, left = [], {}
    for n, *ins in lines:
        for i in ins if n in needed else (): left[i] = left.get(i, 0) + 1
    for n, *ins in reversed(lines):
        if n in needed:
            out.append(n)
            for i in ins:
                left[i] -= 1
                if left[i] == 0 and i not in made: out.append(i)
    return tuple(out)


# %% answer="grads_and_bytes" style="Fraction and numpy float64 values, a tuple of tuples"
from fractions import Fraction

import numpy as np


def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    n = np.array([1, 2, 2, 2, 3, 3, 3, 3, 4]) * (rows * columns * 4)
    slope = Fraction(p) * Fraction(p) * 2
    kept = np.float64(float(slope * Fraction(q) + Fraction(q)))
    return tuple(n), (kept, np.float64(q), np.float64(q))


# %% answer="grads_and_bytes" style="dataclass-like namedtuple of lists"
from collections import namedtuple
G = namedtuple("G", "bytes values")
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return G([k * u for k in (1, 2, 2, 2, 3, 3, 3, 3, 4)], [2 * p * p * q + q, q, q])


# %% answer="mean_gradient" style="torch optimizer habit: zero_grad, a running list of items, np.mean"
import numpy as np


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    opt = mg.optim.SGD([w], lr=0.1)
    opt.zero_grad(set_to_none=True)
    n = len(parts)
    losses = []
    for i, part in enumerate(parts):
        out = part.matmul(w).tanh()
        loss = out.pow(2).sum()
        (loss / n).backward()
        losses.append(loss.detach().item())
        del out, loss
    return float(np.mean(losses))


# %% answer="mean_gradient" style="backward of the sum, then w.grad divided in place under no_grad, fsum"
import math


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None

    def walk(part):
        loss = mg.square(mg.tanh(part @ w)).sum()
        loss.backward()
        return float(loss)

    total = math.fsum(walk(part) for part in parts)
    with mg.no_grad():
        w.grad /= len(parts)
    return total / len(parts)


# %% answer="mean_gradient" style="autograd.grad for each part, collected in a variable, assigned at the end"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    N = len(parts)
    grad, mean = mg.zeros_like(w), 0.0
    for part in parts:
        h = (part @ w).tanh()
        value = (h * h).sum()
        g, = mg.autograd.grad(value, w)
        grad += g / N
        mean += value.item() / N
        h = value = g = None
    w.grad = grad
    return mean


# %% answer="mean_gradient" style="print of loss and of the gradient's norm in each round left in"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None
    mean = 0.0
    for k, part in enumerate(parts):
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
        print(f"part {k}: loss {loss.item():.4f}, grad norm {w.grad.norm().item():.4f}")
    return mean


# %% answer="mean_gradient" style="checkpoint for each part, print(loss) as a tensor"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None
    total = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        print(loss)
        loss.backward()
        total += loss.item()
    return total


# %% answer="mean_gradient" style="debug: print(w.grad) after each part left in"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None
    total = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        print(w.grad)
        total += loss.item()
    return total


# %% answer="mean_gradient" style="defensive asserts: isfinite of every gradient, shapes, a raise on nan"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    assert len(parts) > 0, "no parts"
    assert w.requires_grad and w.is_leaf
    w.grad = None
    total = 0.0
    for part in parts:
        assert part.shape[1] == w.shape[0], (part.shape, w.shape)
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        if mg.isnan(loss).item():
            raise ValueError("nan")
        loss.backward()
        assert mg.isfinite(w.grad).all(), "gradient exploded"
        assert not mg.isnan(w.grad).any().item()
        total += loss.item()
    return total


# %% answer="mean_gradient" style="old gradient moved aside by a context manager, hook on w scales each share"
class Scaled:
    def __init__(self, w, factor):
        self.w, self.factor = w, factor

    def __enter__(self):
        self.handle = self.w.register_hook(lambda g: g * self.factor)

    def __exit__(self, *exc):
        self.handle.remove()


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None
    losses = []
    with Scaled(w, 1 / len(parts)):
        for p in parts:
            l = (p @ w).tanh().pow(2).sum()
            l.backward()
            losses.append(l.item())
    return sum(losses) / len(losses)


# %% answer="mean_gradient" style="a checkpoint for each part inside one graph, one backward (reentrant)"
def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2)."""
    w.grad = None

    def share(w, part):
        return ((part @ w).tanh() ** 2).sum()

    mean = sum(mg.utils.checkpoint.checkpoint(share, w, p, use_reentrant=False) for p in parts) / len(parts)
    mean.backward()
    return mean.item()


# %% answer="mean_gradient" style="hooks pack identity"
def mean_gradient(w, parts):
    w.grad = None
    total = 0.0
    for p in parts:
        with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            loss = ((p @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        total += loss.item()
    return total


# %% answer="mean_gradient" style="save_on_cpu"
def mean_gradient(w, parts):
    w.grad = None
    total = 0.0
    for p in parts:
        with mg.autograd.graph.save_on_cpu():
            loss = ((p @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        total += loss.item()
    return total


# %% answer="net_by_hand" style="@mg.no_grad() as a decorator, mm and T, inplace methods, .item()"
@mg.no_grad()
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    h = mg.mm(x, w1).tanh_()
    dy = mg.mm(h, w2)
    loss = dy.square().sum().item()
    dy.mul_(2.0)
    g2 = mg.mm(h.T, dy)
    dh = mg.mm(dy, w2.T)
    h.square_().neg_().add_(1.0)
    dh.mul_(h)
    del h
    g1 = mg.mm(x.T, dh)
    return loss, g1, g2


# %% answer="net_by_hand" style="a layer class each with forward and backward, as in a from-scratch blog"
class Dense:
    def __init__(self, weight):
        self.weight = weight.detach()

    def forward(self, x):
        self.x = x
        return x @ self.weight

    def backward(self, grad, first=False):
        self.grad = self.x.transpose(0, 1) @ grad
        self.x = None
        return None if first else grad @ self.weight.transpose(0, 1)


class Tanh:
    def forward(self, x):
        self.out = mg.tanh(x)
        return self.out

    def backward(self, grad):
        out, self.out = self.out, None
        return grad * (1 - out ** 2)


class Network:
    def __init__(self, w1, w2):
        self.l1, self.act, self.l2 = Dense(w1), Tanh(), Dense(w2)

    def __call__(self, x):
        return self.l2.forward(self.act.forward(self.l1.forward(x)))

    def backward(self, grad):
        grad = self.l2.backward(grad)
        grad = self.act.backward(grad)
        self.l1.backward(grad, first=True)
        return self.l1.grad, self.l2.grad


def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    net = Network(w1, w2)
    y = net(x)
    loss = float((y ** 2).sum())
    g1, g2 = net.backward(2 * y)
    return loss, g1, g2


# %% answer="net_by_hand" style="inference_mode, einsum for the products"
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with mg.inference_mode():
        h = mg.einsum("ni,ih->nh", x, w1).tanh()
        y = mg.einsum("nh,ho->no", h, w2)
        loss = (y ** 2).sum().item()
        dy = 2 * y
        dw2 = mg.einsum("nh,no->ho", h, dy)
        dz = mg.einsum("no,ho->nh", dy, w2) * (1 - h ** 2)
        dw1 = mg.einsum("ni,nh->ih", x, dz)
    return loss, dw1, dw2


# %% answer="net_by_hand" style="namedtuple"
from collections import namedtuple
Grads = namedtuple("Grads", "loss w1 w2")
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        g = 2 * y
        return Grads((y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - h * h)), h.t() @ g)


# %% answer="backward_order" style="heapq: plays the engine with sequence numbers"
import heapq
from collections import defaultdict
from itertools import count


def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    if not lines:
        return []
    made = {name: (i, inputs) for i, (name, *inputs) in enumerate(lines)}

    # how many edges lead to each, from what is reached
    edges, todo, reached = defaultdict(int), [lines[-1][0]], set()
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        for source in made.get(name, (None, []))[1]:
            edges[source] += 1
            todo.append(source)

    ticket = count()
    INF = float("inf")

    def entry(name):
        number = made[name][0] if name in made else INF
        return -number, next(ticket), name

    ready, order = [entry(lines[-1][0])], []
    while ready:
        *_, name = heapq.heappop(ready)
        order.append(name)
        for source in made.get(name, (None, []))[1]:
            edges[source] -= 1
            if not edges[source]:
                heapq.heappush(ready, entry(source))
    return order


assert backward_order([("p", "a"), ("r", "p", "a")]) == ["r", "p", "a"], backward_order([("p", "a"), ("r", "p", "a")])


# %% answer="grads_and_bytes" style="accumulate over differences, fractions of units, prints with ="
from itertools import accumulate


def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    U = rows * columns * 4
    changes = {
        "b = a * p": +1,
        "c = b * b": +1,
        "c.retain_grad()": 0,
        "del b": 0,
        "first backward": -1 + 2,
        "kept = a.grad": 0,
        "second backward": 0,
        "a.grad = None": 0,
        "third backward": +1,
    }
    alive = [U * n for n in accumulate(changes.values())]
    print(f"{alive = }")

    slope_a = 2 * p * p     # c = (a p)^2 and a is 1
    third = q
    kept = slope_a * q + third
    return alive, [kept, third, q]


a = mg.ones(2, 2, requires_grad=True)
b = a * 3.0
c = b * b
c.retain_grad()
del b
(c * 0.5).sum().backward()
kept = a.grad
(a * 0.5).sum().backward()
a.grad = None
(a * 0.5).sum().backward()
print(kept[0, 0].item(), a.grad[0, 0].item(), c.grad[0, 0].item(), "|", grads_and_bytes(2, 2, 3.0, 0.5))
del a, c, kept


# %% answer="mean_gradient" style="math.fsum over a generator of helper results, type hints"
import math


def share_of(part, w, count: int) -> float:
    """walks one part; its graph dies with this function"""
    loss = ((part @ w).tanh() ** 2).sum() / count
    loss.backward()
    return loss.item()


def mean_gradient(w, parts) -> float:
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    w.grad = None
    parts = list(parts)
    return math.fsum(share_of(part, w, len(parts)) for part in parts)


# %% answer="mean_gradient" style="copy of the given code, try/finally, memory report kept in a list, statistics.fmean"
import statistics

report = []


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    w.grad = None    # not zero_(): somebody may have kept the old one
    losses = []
    try:
        for part in parts:
            before = mg.memory_allocated()
            loss = ((part @ w).tanh() ** 2).sum()
            (loss / len(parts)).backward()
            losses.append(loss.item())
            del loss
            report.append(mg.memory_allocated() - before)
    finally:
        print("bytes that each part left:", report[-len(parts):])
    return statistics.fmean(losses)


# %% answer="net_by_hand" style="mg.no_grad as decorator of her own helper functions"
def unrecorded(fn):
    def wrapper(*args):
        with mg.no_grad():
            return fn(*args)
    wrapper.__doc__ = fn.__doc__
    wrapper.__name__ = fn.__name__
    return wrapper


@unrecorded
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    h = (x @ w1).tanh()
    y = h @ w2
    loss = (y * y).sum().item()
    g = y * 2
    del y
    for_w2 = h.t() @ g
    g = g @ w2.t()
    slope = h * h
    del h
    slope = 1 - slope
    g = g * slope
    del slope
    for_w1 = x.t() @ g
    return loss, for_w1, for_w2


# %% answer="net_by_hand" style="classes of layers with forward and backward, isclose check against the engine at the bottom"
import math


class Product:
    def __init__(self, w):
        self.w = w

    def forward(self, x):
        self.x = x
        return x @ self.w

    def backward(self, g, further=True):
        self.grad = self.x.t() @ g
        del self.x
        return g @ self.w.t() if further else None


class Tanh:
    def forward(self, x):
        self.y = x.tanh()
        return self.y

    def backward(self, g):
        y, self.y = self.y, None
        return g * (1 - y * y)


class Square:
    def forward(self, y):
        self.y = y
        return (y * y).sum()

    def backward(self):
        y, self.y = self.y, None
        return 2 * y


# ==== next cell
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    with mg.no_grad():
        one, act, two, end = Product(w1), Tanh(), Product(w2), Square()
        loss = end.forward(two.forward(act.forward(one.forward(x)))).item()
        one.backward(act.backward(two.backward(end.backward())), further=False)
    return loss, one.grad, two.grad


ww = mg.full((32, 8), 0.02, requires_grad=True)
loss, g1, g2 = net_by_hand(x, w, ww)
right = (((x @ w).tanh() @ ww) ** 2).sum()
right.backward()
assert math.isclose(loss, right.item(), rel_tol=1e-5)
assert mg.allclose(g1, w.grad) and mg.allclose(g2, ww.grad)
w.grad = None
del right


# %% answer="backward_order" style="Counter as in the hint, assert statements, json.dumps of the books"
import json
from collections import Counter


def backward_order(lines):
    """The names of lines and leaves in the order in which backward runs their nodes."""
    made = {line[0] for line in lines}
    needed = {lines[-1][0]} if lines else set()
    for name, *inputs in reversed(lines):
        if name in needed:
            needed.update(inputs)
    uses = Counter(i for name, *inputs in lines if name in needed for i in inputs)
    print(json.dumps(uses, sort_keys=True))
    order = []
    for name, *inputs in reversed(lines):
        if name not in needed:
            continue
        order.append(name)
        for i in inputs:
            uses[i] -= 1
            if i not in made and uses[i] == 0:
                order.append(i)
    assert all(n == 0 for n in uses.values()), uses
    return order


# %% answer="grads_and_bytes" style="sympy-free slopes with a tiny dual number class, textual trace"
from dataclasses import dataclass


@dataclass
class Dual:
    value: float
    slope: float = 0.0

    def __mul__(self, other):
        if not isinstance(other, Dual):
            other = Dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)


def grads_and_bytes(rows, columns, p, q):
    """([nine numbers of bytes], [kept[0, 0], a.grad[0, 0], c.grad[0, 0]])."""
    unit = rows * columns * 4
    alive = """
        b
        b c
        b c
        b c
        c c.grad a.grad
        c c.grad kept
        c c.grad kept
        c c.grad kept
        c c.grad kept a.grad
    """
    bytes_ = [unit * len(line.split()) for line in alive.split("\n") if line.strip()]
    a = Dual(1.0, 1.0)
    b = a * p
    first, other = b * b * q, a * q
    return bytes_, [first.slope + other.slope, other.slope, float(q)]


# %% answer="mean_gradient" style="redirects his prints into a StringIO, enumerates, scales the gradient at the end"
import contextlib
import io

diary_text = io.StringIO()


def mean_gradient(w, parts):
    """w.grad = gradient of the mean over `parts` of sum(tanh(part @ w) ** 2).

    Returns the mean.
    """
    n = len(parts)
    total = 0.0
    w.grad = None
    with contextlib.redirect_stdout(diary_text):
        for i, part in enumerate(parts):
            loss = ((part @ w).tanh() ** 2).sum()
            loss.backward()
            print(i, loss)
            total += loss.item()
            loss = None
    with mg.no_grad():
        w.grad /= n
    return total / n


# %% answer="net_by_hand" style="set_grad_enabled(False) with try/finally, prints every tensor's shape, in place"
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2), by the table of section 6."""
    on = mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    try:
        h = (x @ w1).tanh_()
        y = h @ w2
        loss = (y**2).sum().item()
        print(f"{x.shape=} {h.shape=} {y.shape=} {loss=}")
        y *= 2
        g2 = h.t() @ y
        gh = y @ w2.t()
        del y
        h *= h
        h.neg_().add_(1)
        gh *= h
        del h
        g1 = x.t() @ gh
        print(g1, g2)
        return loss, g1, g2
    finally:
        mg.set_grad_enabled(on)


# %% answer="mean_gradient" style="books: row by row within a part"
def mean_gradient(w, parts):
    w.grad, mean = None, 0.0
    for part in parts:
        for row in part:
            loss = ((row @ w).tanh() ** 2).sum() / len(parts)
            loss.backward()
            mean += loss.item()
    return mean


# %% answer="mean_gradient" style="math.fsum over a generator function, typed, a doctest"
import math
from collections.abc import Iterator


def losses(w: mg.Tensor, parts: list) -> Iterator[float]:
    for part in parts:
        out = (part @ w).tanh()
        loss = out.mul(out).sum() / len(parts)
        del out
        loss.backward()
        yield loss.item()
        del loss


def mean_gradient(w, parts):
    """w.grad = gradient of the mean; returns the mean.

    >>> mean_gradient(mg.zeros(1, 1, requires_grad=True), [mg.ones(2, 1)])
    0.0
    """
    w.grad = None
    return math.fsum(losses(w, parts))


import doctest

print(doctest.testmod())


# %% answer="net_by_hand" style="a class with slots for forward and backward, einsum for the products"
class Net:
    __slots__ = ("x", "w1", "w2", "h", "y")

    def __init__(self, x, w1, w2):
        self.x, self.w1, self.w2 = x, w1, w2

    def forward(self):
        self.h = (self.x @ self.w1).tanh_()
        self.y = self.h @ self.w2
        return self.y.square().sum().item()

    def backward(self):
        to_y = self.y.mul_(2.0)
        for_w2 = self.h.T @ to_y
        to_h = to_y @ self.w2.T
        del self.y
        to_h *= 1 - self.h**2
        return self.x.T @ to_h, for_w2


@mg.no_grad()
def net_by_hand(x, w1, w2):
    """(loss as a float, gradient for w1, gradient for w2)."""
    net = Net(x, w1, w2)
    return net.forward(), *net.backward()


# %% answer="mean_gradient" style="unittest in the cell, np.testing, a class with __call__"
import unittest

import numpy as np


class Mean:
    def __call__(self, w, parts):
        w.grad = None
        total = 0.0
        for part in parts:
            loss = (part @ w).tanh().pow(2).sum().div(len(parts))
            loss.backward()
            total += loss.item()
            del loss
        return total


mean_gradient = Mean()


class TestMean(unittest.TestCase):
    def test_two(self):
        w = mg.ones(2, 2, requires_grad=True)
        mean_gradient(w, [mg.ones(3, 2), mg.ones(3, 2)])
        np.testing.assert_allclose(w.grad.numpy()[0, 0], w.grad.numpy()[1, 1], rtol=1e-5)


unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(TestMean))


# %% answer="net_by_hand" style="a debug print of each tensor, shapes asserted"
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        print("h", h.shape, h)
        y = h @ w2
        assert y.shape == (x.shape[0], w2.shape[1]), y
        loss = float((y ** 2).sum())
        y = 2 * y
        g2 = h.T @ y
        g = y @ w2.T
        g *= 1 - h ** 2
        del h
        g1 = x.T @ g
        print(f"{loss=} {g1.tolist()=}")
    return loss, g1, g2


# %% answer="net_by_hand" style="print of a gradient as a list left in"
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        loss = float((y ** 2).sum())
        y = 2 * y
        g2 = h.T @ y
        print(g2.tolist())
        g = y @ w2.T
        g *= 1 - h ** 2
        del h
        g1 = x.T @ g
    return loss, g1, g2
