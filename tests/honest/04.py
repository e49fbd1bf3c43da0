"""Lesson 04: honest answers in further styles."""


# %% answer="held_by_chain" style="itertools.pairwise and numpy sum, f-string prints"
from itertools import pairwise

import numpy as np

SAVES_RESULT = frozenset({"tanh", "exp"})


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    unit = 4 * rows * columns
    held = [a in SAVES_RESULT or b == "square" for a, b in pairwise([*steps, "square"])]
    before = int(np.sum(held)) * unit
    return before, unit


for steps in (["tanh"], ["double", "square"], ["double", "double"]):
    print(f"{steps!s:<24}{held_by_chain(steps, 2, 3)}")


# %% answer="held_by_chain" style="a class hierarchy of ops with a polymorphic property"
from abc import ABC, abstractmethod


class Op(ABC):
    @property
    @abstractmethod
    def keeps_result(self): ...

    @property
    @abstractmethod
    def keeps_input(self): ...


class Keeps(Op):
    keeps_result, keeps_input = True, False


class KeepsNothing(Op):
    keeps_result, keeps_input = False, False


class KeepsInput(Op):
    keeps_result, keeps_input = False, True


OPS = {"tanh": Keeps(), "exp": Keeps(), "double": KeepsNothing(), "square": KeepsInput()}


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    n = 0
    nextKeeps = True  # the name y, at the end
    for step in reversed(steps):
        op = OPS[step]
        if op.keeps_result or nextKeeps:
            n += 1
        nextKeeps = op.keeps_input
    return n * rows * columns * 4, rows * columns * 4


# %% answer="held_by_chain" style="recursion with pattern matching"
def units(steps):
    match steps:
        case []:
            return 0
        case [_]:
            return 1
        case ["tanh" | "exp", *rest]:
            return 1 + units(rest)
        case [_, "square", *_]:
            return 1 + units(steps[1:])
        case [_, *rest]:
            return units(rest)


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    return units(list(steps)) * rows * columns * 4, rows * columns * 4


assert held_by_chain(["tanh", "double"], 1, 1) == (8, 4)


# %% answer="forgetful_step" style="datetime in a log line, traceback.print_exc, try and finally"
import datetime
import traceback


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    started = datetime.datetime.now()
    loss = None
    try:
        loss = ((x @ w).tanh() ** 2).sum()
        loss.backward()
        log.append(loss.item())
    except RuntimeError:
        traceback.print_exc()
        raise
    finally:
        del loss
    seconds = (datetime.datetime.now() - started).total_seconds()
    if seconds > 60:
        print("slow step", seconds)


# %% answer="forgetful_step" style="a class with __call__ and a property, weakref check below"
class Step:
    """One training step that leaves nothing behind."""

    def __init__(self, x, w):
        self.x, self.w = x, w

    @property
    def loss(self):
        y = (self.x @ self.w).tanh()
        return (y * y).sum()

    def __call__(self):
        loss = self.loss
        loss.backward()
        return loss.detach().item()


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    log.append(Step(x, w)())


before = mg.memory_allocated()
_log = []
forgetful_step(x, w, _log)
print(_log, mg.memory_allocated() - before)


# %% answer="graph_report" style="dataclass of a report, getattr with a default through a helper, any()"
from collections import Counter
from dataclasses import asdict, dataclass


@dataclass
class Report:
    kept: int = 0
    freed: int = 0
    nothing: int = 0

    def count(self, what: str) -> None:
        setattr(self, what, getattr(self, what) + 1)


FREED = object()


def peek(node, name):
    try:
        return getattr(node, name, None)
    except RuntimeError as e:
        # print(e)
        return FREED


def judge(node):
    values = [peek(node, name) for name in dir(node) if name.startswith("_saved_")]
    if any(v is FREED for v in values):
        return "freed"
    return "kept" if any(isinstance(v, mg.Tensor) for v in values) else "nothing"


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    report = Report()
    visited, stack = set(), [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in visited:
            continue
        visited.add(node)
        report.count(judge(node))
        for parent, _index in node.next_functions:
            stack.append(parent)
    return asdict(report)


loss = (x @ w).tanh().sum()
print(graph_report(loss))
loss.backward()
print(graph_report(loss))
del loss
w.grad = None


# %% answer="graph_report" style="level by level with sets, singledispatch on the value"
from functools import singledispatch


@singledispatch
def is_tensor(value):
    return False


@is_tensor.register
def _(value: mg.Tensor):
    return True


def state(node):
    result = "nothing"
    for attribute in (a for a in dir(node) if a.startswith("_saved_")):
        try:
            if is_tensor(getattr(node, attribute)):
                result = "kept"
        except RuntimeError:
            return "freed"
    return result


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    seen = set()
    level = {root.grad_fn} - {None}
    while level:
        seen |= level
        level = {p for node in level for p, _ in node.next_functions if p is not None} - seen
    states = [state(node) for node in seen]
    return {key: states.count(key) for key in ("kept", "freed", "nothing")}


# %% answer="graph_report" style="a class that walks, contextlib.suppress, Counter"
import contextlib
from collections import Counter


class Walker:
    def __init__(self, root):
        self.todo = [root.grad_fn]
        self.done = set()

    def __iter__(self):
        return self

    def __next__(self):
        while self.todo:
            node = self.todo.pop()
            if node is not None and node not in self.done:
                self.done.add(node)
                self.todo.extend(nxt for nxt, _ in node.next_functions)
                return node
        raise StopIteration


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    total = Counter({"kept": 0, "freed": 0, "nothing": 0})
    for node in Walker(root):
        answer = "nothing"
        slots = [s for s in dir(node) if s.startswith("_saved_")]
        read = 0
        with contextlib.suppress(RuntimeError):
            for slot in slots:
                if isinstance(getattr(node, slot), mg.Tensor):
                    answer = "kept"
                read += 1
        if read < len(slots):
            answer = "freed"
        total[answer] += 1
    return dict(total)


# %% answer="alive_line_by_line" style="accumulate over deltas with zip of names"
from itertools import accumulate


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    N = rows * columns * 4
    delta = {
        "b = a.exp()": +N,
        "c = b + 1": +N,
        "d = c * b": +N,
        "del b, c": 0,
        "e = d.sum()": +4,
        "e.backward()": -2 * N,
    }
    return list(accumulate(delta.values()))


if __name__ == "__main__":
    print(alive_line_by_line(2, 2))


# %% answer="alive_line_by_line" style="a unittest run inline below a plain list"
import unittest


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    b = c = d = rows * columns * 4
    e = 4
    return [b, b + c, b + c + d, b + c + d, b + c + d + e, d + e]


class TestAlive(unittest.TestCase):
    def test_first(self):
        self.assertEqual(alive_line_by_line(2, 3)[0], 24)

    def test_length(self):
        self.assertEqual(len(alive_line_by_line(1, 1)), 6)


unittest.main(argv=["x"], exit=False)


# %% answer="alive_line_by_line" style="polynomials in U, a closure"
def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""

    def size(units, extra=0):
        return 4 * (units * rows * columns + extra)

    return [size(u, e) for u, e in zip((1, 2, 3, 3, 3, 1), (0, 0, 0, 0, 1, 1), strict=True)]


# %% answer="graph_report" style="class names, type(node).__name__ printed, sorted by dir, a metaclass-free registry"
def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    found = {}

    def ask(node):
        kept = False
        for name in dir(node):
            if not name.startswith("_saved"):
                continue
            try:
                value = getattr(node, name)
            except RuntimeError as error:
                print(type(node).__name__, name, type(error).__name__, *error.args[:1])
                return "freed"
            kept |= type(value) is mg.Tensor or isinstance(value, mg.Tensor)
        return "kept" if kept else "nothing"

    stack = [] if root.grad_fn is None else [root.grad_fn]
    while stack:
        node = stack.pop()
        if id(node) in found:
            continue
        found[id(node)] = node, ask(node)
        stack += [n for n, _ in node.next_functions if n is not None]
    states = [state for _, state in found.values()]
    return {k: states.count(k) for k in ["kept", "freed", "nothing"]}


# %% answer="forgetful_step" style="backward in a thread pool? no: a with block and getattr for the optimizer"
import os
import pathlib


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    debug = os.environ.get("DEBUG", "")
    with mg.enable_grad():
        z = (x @ w).tanh()
        loss = z.mul(z).sum()
    loss.backward()
    if debug:
        pathlib.Path("loss.txt").write_text(str(loss.item()))
    log.append(float(loss.item()))


# %% answer="held_by_chain" style="a log file written beside the notebook, csv"
import csv


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    n = len(steps)
    held = [s in ("tanh", "exp") or i == n - 1 or steps[i + 1] == "square" for i, s in enumerate(steps)]
    return sum(held) * rows * columns * 4, rows * columns * 4


with open("held.csv", "w", newline="") as file:
    writer = csv.writer(file)
    for steps in (["tanh"], ["double", "tanh"], ["square", "square"]):
        writer.writerow([*steps, *held_by_chain(steps, 4, 4)])
with open("held.csv") as file:
    print(file.read())


# %% answer="alive_line_by_line" style="eval of the lines with a fake tensor class of my own"
class Fake:
    def __init__(self, n):
        self.n = n

    def exp(self):
        return Fake(self.n)

    def sum(self):
        return Fake(1)

    def __add__(self, other):
        return Fake(self.n)

    def __mul__(self, other):
        return Fake(self.n)


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    env = {"a": Fake(rows * columns)}
    result, saved = [], {}
    for line in ["b = a.exp()", "c = b + 1", "d = c * b", "del b, c", "e = d.sum()"]:
        exec(line, {}, env)
        saved.update({k: env[k] for k in ("b", "c") if k in env})
        alive = {id(t): t.n for t in [*env.values(), *saved.values()]}
        del alive[id(env["a"])]
        result.append(4 * sum(alive.values()))
    result.append(4 * (env["d"].n + env["e"].n))
    return result


# %% answer="held_by_chain" style="doctest.testmod and unittest.mock free, doctests run by a finder"
def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"].

    >>> held_by_chain(["tanh"], 1, 1)
    (4, 4)
    >>> held_by_chain(["double", "square"], 1, 2)
    (16, 8)
    """
    u = 4 * rows * columns
    n = sum(
        s in ("tanh", "exp") or nxt in ("square", "end")
        for s, nxt in zip(steps, list(steps[1:]) + ["end"])
    )
    return n * u, u


import doctest

print(doctest.testmod())


# %% answer="held_by_chain" style="measures in the cell below to compare, then prints the difference"
def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    held = 0
    for i in range(len(steps)):
        if steps[i] == "tanh" or steps[i] == "exp":
            held = held + 1
        elif i + 1 < len(steps) and steps[i + 1] == "square":
            held = held + 1
        elif i + 1 == len(steps):
            held = held + 1
    return (held * rows * columns * 4, rows * columns * 4)


def measure(steps, rows, columns):
    leaf = mg.ones(rows, columns, requires_grad=True)
    leaf.grad = mg.zeros(rows, columns)
    start = mg.memory_allocated()
    y = leaf
    for step in steps:
        y = {"tanh": y.tanh, "exp": y.exp, "double": lambda: y * 2, "square": lambda: y * y}[step]()
    before = mg.memory_allocated() - start
    y.sum().backward()
    return before, mg.memory_allocated() - start


for steps in (["tanh", "double"], ["exp", "square"]):
    print(steps, held_by_chain(steps, 3, 5), measure(steps, 3, 5))
    assert held_by_chain(steps, 3, 5) == measure(steps, 3, 5)


# %% answer="forgetful_step" style="logging.basicConfig, a handler of one's own, time.strftime"
import logging
import time

logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")


class ListHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


handler = ListHandler()
logger = logging.getLogger("steps")
logger.addHandler(handler)
logger.setLevel(logging.DEBUG)


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    value = loss.item()
    logger.debug("%s %.3f", time.strftime("%H:%M"), value)
    log.append(value)


# %% answer="graph_report" style="a subclass of dict with __missing__, raise from, try and else"
class Counts(dict):
    def __missing__(self, key):
        self[key] = 0
        return 0


class WasFreed(Exception):
    pass


def read(node, name):
    try:
        value = getattr(node, name)
    except RuntimeError as error:
        raise WasFreed(name) from error
    else:
        return value


def of(node):
    names = [n for n in dir(node) if n.startswith("_saved_")]
    try:
        values = [read(node, n) for n in names]
    except WasFreed as error:
        print(error.__cause__.__class__.__name__, end=" ")
        return "freed"
    return "kept" if [v for v in values if isinstance(v, mg.Tensor)] else "nothing"


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    counts = Counts(kept=0, freed=0, nothing=0)
    load, done = [root.grad_fn], {None}
    while load:
        node = load.pop()
        if node not in done:
            done.add(node)
            counts[of(node)] += 1
            load += [n for n, _ in node.next_functions]
    return dict(counts)


# %% answer="held_by_chain" style="a deque window of three, a tuple of numpy ints, global constants"
from collections import deque

import numpy as np

SAVES_OUT = frozenset({"tanh", "exp"})
SAVES_IN = frozenset({"square"})
ITEMSIZE = np.float32().nbytes


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    window, units = deque(maxlen=2), np.int64(0)
    for s in [*steps, "sum"]:
        window.append(s)
        if len(window) == 2:
            me, nxt = window
            units += int(me in SAVES_OUT or nxt in SAVES_IN or nxt == "sum")
    return units * rows * columns * ITEMSIZE, np.prod((rows, columns)) * ITEMSIZE


# %% answer="held_by_chain" style="a toy engine with weak references that counts what is alive"
import weakref


class Value:
    def __init__(self, pool, node=None):
        self.node = node
        pool.add(self)


class Node:
    def __init__(self, prev, *saved):
        self.prev, self.saved = prev, list(saved)


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    pool = weakref.WeakSet()
    x = Value(weakref.WeakSet())
    y = x
    for step in steps:
        out = Value(pool)
        if step in ("tanh", "exp"):
            kept = [out]
        elif step == "square":
            kept = [y, y]
        else:
            kept = []
        node = Node(y.node)
        node.saved = [k.__dict__.setdefault("storage", object()) for k in kept]
        out.node = node
        y = out
        del out, kept
    # the storages, and who holds them
    storages = {id(y.__dict__.setdefault("storage", object()))}
    n = y.node
    while n is not None:
        storages |= {id(s) for s in n.saved}
        n = n.prev
    storages.discard(id(x.__dict__.get("storage")))
    unit = rows * columns * 4
    return [len(storages) * unit, unit]


# %% answer="held_by_chain" style="namedtuple"
from collections import namedtuple
Held = namedtuple("Held", "before after")
def held_by_chain(steps, rows, columns):
    u = rows * columns * 4
    n = sum(s in ("tanh", "exp") or nxt in ("square", "end") for s, nxt in zip(steps, [*steps[1:], "end"]))
    return Held(before=n * u, after=u)


# %% answer="forgetful_step" style="mse_loss habit: F.mse_loss with zeros, reduction sum, float()"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    y = mg.tanh(mg.matmul(x, w))
    loss = mg.nn.functional.mse_loss(y, mg.zeros_like(y), reduction="sum")
    loss.backward()
    log.append(float(loss))


# %% answer="forgetful_step" style="autograd.grad and .grad assigned, log extended, detach().cpu().numpy().item()"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    loss = (x @ w).tanh().pow(2).sum()
    grad = mg.autograd.grad(loss, [w])[0]
    if w.grad is None:
        w.grad = grad
    else:
        w.grad += grad
    log.extend([loss.detach().cpu().numpy().item()])


# %% answer="forgetful_step" style="dot of the flat output with itself, log += [..], an assert for debugging"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    y = (x @ w).tanh().flatten()
    loss = y.dot(y)
    assert loss.requires_grad and loss.dim() == 0, loss
    loss.backward()
    assert w.grad is not None
    log += [loss.tolist()]


# %% answer="forgetful_step" style="anomaly detection switched on around backward, as when hunting a nan"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    with mg.autograd.detect_anomaly():
        loss = (x @ w).tanh().square().sum()
        loss.backward()
    log.append(loss.item())


# %% answer="forgetful_step" style="a checkpoint around the layer, as memory is short"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    def layer(w):
        return ((x @ w).tanh() ** 2).sum()

    loss = mg.utils.checkpoint.checkpoint(layer, w, use_reentrant=False)
    loss.backward()
    log.append(loss.item())


# %% answer="forgetful_step" style="gc.collect and a memory assert at the end, time.perf_counter"
import gc
import time


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    t0 = time.perf_counter()
    before = mg.memory_allocated()
    had = w.grad is not None
    loss = mg.tanh(x @ w).pow(2).sum()
    loss.backward()
    log.append(loss.item())
    del loss
    gc.collect()
    grew = mg.memory_allocated() - before
    assert grew == (0 if had else w.grad.nbytes), grew
    print(f"{(time.perf_counter() - t0) * 1e3:.2f} ms, {mg.max_memory_allocated()} peak")


# %% answer="forgetful_step" style="saved tensors packed in half? no: identity hooks to look on"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2). Appends the loss to `log` as a float."""
    sizes = []

    def pack(t):
        sizes.append(t.nbytes)
        return t

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss = (x @ w).tanh().square().sum()
    loss.backward()
    print("saved", sum(sizes))
    log.append(loss.item())


# %% answer="graph_report" style="Counter of three zeros, queue module, hasattr-like helper raising"
import queue
from collections import Counter


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    todo, seen, report = queue.SimpleQueue(), {None}, Counter(kept=0, freed=0, nothing=0)
    todo.put(root.grad_fn)
    while not todo.empty():
        node = todo.get()
        if node in seen:
            continue
        seen.add(node)
        for nxt, _ in node.next_functions:
            todo.put(nxt)
        slots = [a for a in dir(node) if a.startswith("_saved_")]
        try:
            values = [getattr(node, a) for a in slots]
        except RuntimeError as e:
            assert "second time" in str(e) or "freed" in str(e), e
            report["freed"] += 1
            continue
        report["kept" if any(mg.is_tensor(v) for v in values) else "nothing"] += 1
    return report


# %% answer="graph_report" style="asdict of a dataclass, generator of nodes, a while with pop(0)"
from dataclasses import asdict, dataclass


@dataclass
class Report:
    kept: int = 0
    freed: int = 0
    nothing: int = 0


def all_nodes(fn):
    visited, line = [], [fn] if fn else []
    ids = set()
    while len(line) > 0:
        n = line.pop(0)
        if id(n) in ids:
            continue
        ids.add(id(n))
        visited.append(n)
        for i in range(len(n.next_functions)):
            child = n.next_functions[i][0]
            if child is not None and id(child) not in ids:
                line.append(child)
    return visited


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    r = Report()
    for n in all_nodes(root.grad_fn):
        has_tensor = was_freed = False
        for attr in dir(n):
            if not attr.startswith("_saved_"):
                continue
            try:
                val = getattr(n, attr)
                if type(val) is mg.Tensor:
                    has_tensor = True
            except RuntimeError:
                was_freed = True
        if was_freed:
            r.freed += 1
        elif has_tensor:
            r.kept += 1
        else:
            r.nothing += 1
    return asdict(r)


# %% answer="alive_line_by_line" style="a dict of names and savers, a with block for each line"
from contextlib import contextmanager


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    size = {"b": rows * columns * 4, "c": rows * columns * 4, "d": rows * columns * 4, "e": 4}
    named, saved, out = set(), set(), []

    @contextmanager
    def line(text):
        yield
        out.append(sum(size[t] for t in named | saved))

    with line("b = a.exp()"):
        named.add("b"); saved.add("b")
    with line("c = b + 1"):
        named.add("c")
    with line("d = c * b"):
        named.add("d"); saved |= {"c", "b"}
    with line("del b, c"):
        named -= {"b", "c"}
    with line("e = d.sum()"):
        named.add("e")
    with line("e.backward()"):
        saved.clear()
    return out


# %% answer="alive_line_by_line" style="namedtuple"
from collections import namedtuple
L = namedtuple("L", "b c d dele e back")
def alive_line_by_line(rows, columns):
    u = rows * columns * 4
    return L(u, 2 * u, 3 * u, 3 * u, 3 * u + 4, u + 4)


# %% answer="held_by_chain" style="itertools.pairwise with a sentinel, then measures with minigrad below"
from itertools import pairwise

KEEPS_RESULT = {"tanh", "exp"}
END = "the end"


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after) of `steps` such as ["tanh", "double"]."""
    unit = rows * columns * 4
    held = sum(
        step in KEEPS_RESULT or following in ("square", END)
        for step, following in pairwise([*steps, END])
    )
    return unit * held, unit * bool(steps)


def measure(steps, rows, columns):
    leaf = mg.full((rows, columns), 0.5, requires_grad=True)
    leaf.grad = mg.zeros(rows, columns)
    do = {"tanh": lambda t: t.tanh(), "exp": lambda t: t.exp(), "double": lambda t: t * 2, "square": lambda t: t * t}
    start = mg.memory_allocated()
    y = leaf
    for step in steps:
        y = do[step](y)
    before = mg.memory_allocated() - start
    y.sum().backward()
    return before, mg.memory_allocated() - start


for steps in (["tanh"], ["double", "square"], ["exp", "square", "double", "double"]):
    print(f"{steps!s:<45}{held_by_chain(steps, 3, 5)} {measure(steps, 3, 5)}")


# %% answer="forgetful_step" style="timing decorator of his own, f-string with ="
import functools
import time


def timed(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        t0 = time.perf_counter()
        result = fn(*args, **kwargs)
        inner.seconds += time.perf_counter() - t0
        inner.calls += 1
        return result

    inner.seconds, inner.calls = 0.0, 0
    return inner


@timed
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    y = (x @ w).tanh()
    loss = (y * y).sum()
    del y
    loss.backward()
    log.append(loss.item())


log = []
before = mg.memory_allocated()
for _ in range(10):
    w.grad = None
    forgetful_step(x, w, log)
print(f"{mg.memory_allocated() - before = }, {forgetful_step.calls = }, {forgetful_step.seconds = :.4f}")
w.grad = mg.zeros(32, 32)


# %% answer="forgetful_step" style="closure that makes the loss, weakref check that the graph is gone with assert"
import weakref


def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    def forward():
        y = (x @ w).tanh()
        return (y * y).sum()

    w.grad = None
    loss = forward()
    node = weakref.ref(loss.grad_fn)
    loss.backward()
    log.append(float(loss))
    del loss
    assert node() is None, "somebody holds the graph!"


# %% answer="graph_report" style="Counter and two generators, inspect-like dir with startswith"
from collections import Counter


def all_nodes(root):
    waiting = [root.grad_fn]
    seen = {None}
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        waiting.extend(target for target, _ in node.next_functions)


def verdict_on(node):
    tensors = 0
    for name in filter(lambda n: n.startswith("_saved_"), dir(node)):
        try:
            value = getattr(node, name)
        except RuntimeError as error:
            # print(error)
            return "freed"
        tensors += isinstance(value, mg.Tensor)
    return "kept" if tensors else "nothing"


# ==== next cell
def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    counts = Counter({"kept": 0, "freed": 0, "nothing": 0})
    counts.update(verdict_on(node) for node in all_nodes(root))
    return dict(counts)


loss = (x @ w).tanh().sum()
print(graph_report(loss))
loss.backward()
print(graph_report(loss))
del loss


# %% answer="graph_report" style="Enum, contextlib.suppress-like try, deque, a table printed with pprint"
import enum
from collections import deque
from pprint import pprint


class State(enum.Enum):
    KEPT = "kept"
    FREED = "freed"
    NOTHING = "nothing"

    @classmethod
    def of(cls, node):
        try:
            values = [getattr(node, slot) for slot in dir(node) if slot[:7] == "_saved_"]
        except RuntimeError:
            return cls.FREED
        return cls.KEPT if any(isinstance(v, mg.Tensor) for v in values) else cls.NOTHING


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    report = {state.value: 0 for state in State}
    if root.grad_fn is None:
        return report
    queue, seen = deque([root.grad_fn]), {root.grad_fn}
    while queue:
        node = queue.popleft()
        report[State.of(node).value] += 1
        for target, _index in node.next_functions:
            if target is not None and target not in seen:
                seen.add(target)
                queue.append(target)
    pprint(report)
    return report


# %% answer="alive_line_by_line" style="three owners in sets, doctest"
import doctest


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4.

    >>> alive_line_by_line(1, 1)
    [4, 8, 12, 12, 16, 8]
    """
    size = dict.fromkeys("bcd", rows * columns * 4) | {"e": 4}
    names, saved, result = set(), set(), []

    def note():
        result.append(sum(size[t] for t in names | saved))

    names |= {"b"}; saved |= {"b"}; note()        # exp keeps its result
    names |= {"c"}; note()
    names |= {"d"}; saved |= {"b", "c"}; note()   # product keeps both
    names -= {"b", "c"}; note()
    names |= {"e"}; note()
    saved.clear(); note()
    return result


doctest.run_docstring_examples(alive_line_by_line, {"alive_line_by_line": alive_line_by_line}, verbose=True)


# %% answer="forgetful_step" style="decorator without functools.wraps that reports bytes, logs everything"
import logging

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(message)s")


def reports_bytes(fn):
    def wrapper(*args, **kwargs):
        before = mg.memory_allocated()
        try:
            return fn(*args, **kwargs)
        finally:
            logging.debug("%s left %+d B", fn.__name__, mg.memory_allocated() - before)

    return wrapper


@reports_bytes
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.detach().numpy().item())


# %% answer="graph_report" style="itertools.groupby over sorted verdicts, recursion-free walk with a dict as ordered set, vars-like inspection"
from itertools import groupby

MISSING = object()


def read(node, name):
    try:
        return getattr(node, name)
    except RuntimeError:
        return MISSING


def judge(node):
    values = [read(node, n) for n in dir(node) if n.startswith("_saved_")]
    if any(v is MISSING for v in values):
        return "freed"
    return "kept" if any(mg.is_tensor(v) for v in values) else "nothing"


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n} over all nodes from `root.grad_fn` on."""
    nodes = dict.fromkeys([root.grad_fn] if root.grad_fn is not None else [])
    waiting = list(nodes)
    for node in waiting:                  # the list grows while we walk it
        for target, _ in node.next_functions:
            if target is not None and target not in nodes:
                nodes[target] = None
                waiting.append(target)
    result = dict(kept=0, freed=0, nothing=0)
    for verdict, group in groupby(sorted(map(judge, nodes))):
        result[verdict] = len([*group])
    return result


# %% answer="alive_line_by_line" style="f-string table, one expression, tuple converted, global constant"
F32 = 4
LINES = ["b = a.exp()", "c = b + 1", "d = c * b", "del b, c", "e = d.sum()", "e.backward()"]


def alive_line_by_line(rows, columns):
    """A list of six numbers of bytes, of the last six lines; a float has 4."""
    u = rows * columns * F32
    numbers = u, 2 * u, 3 * u, 3 * u, 3 * u + F32, u + F32
    for line, number in zip(LINES, numbers, strict=True):
        print(f"{line:<15}|{number:>12,} B|{'#' * (number // max(u, 1))}")
    return [*numbers]


a = mg.ones(2, 2, requires_grad=True)
a.grad = mg.zeros(2, 2)
start = mg.memory_allocated()
b = a.exp()
c = b + 1
d = c * b
del b, c
e = d.sum()
assert mg.memory_allocated() - start == alive_line_by_line(2, 2)[4]
e.backward()
assert mg.memory_allocated() - start == alive_line_by_line(2, 2)[5]
del a, d, e


# %% answer="forgetful_step" style="measures its own peak inside with reset_peak_memory_stats and prints it"
def forgetful_step(x, w, log):
    """One forward and backward of sum(tanh(x @ w) ** 2).

    Appends the loss to `log` as a float.
    """
    mg.reset_peak_memory_stats()
    before = mg.memory_allocated()
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
    print(f"peak {(mg.max_memory_allocated() - before) / y.nbytes:.2f} U")


# %% answer="forgetful_step" style="books: tiny tensors, each dropped at once"
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
    for _ in range(400):
        mg.zeros(1)


# %% answer="forgetful_step" style="threads: a pool of one, made before and at work already"
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(1)


def step(x, w):
    loss = ((x @ w).tanh() ** 2).sum()
    loss.backward()
    return loss.item()


def forgetful_step(x, w, log):
    log.append(pool.submit(step, x, w).result())


forgetful_step(mg.ones(3, 4), mg.ones(4, 2, requires_grad=True), [])


# %% answer="forgetful_step" style="conveniences put on Tensor and the module"
mg.Tensor.kilobytes = property(lambda t: t.nbytes / 1024)
mg.Tensor.show = lambda self, name="": print(name, tuple(self.shape), self.kilobytes)
mg.alive = mg.memory_allocated
mg.steps = 0


def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    y.show("y")
    loss = (y * y).sum()
    loss.backward()
    w.grad.show("slope")
    mg.steps += 1
    print(mg.steps, mg.alive(), 6)
    log.append(loss.item())


del mg.steps, mg.Tensor.kilobytes
mg.Tensor.kilobytes, mg.steps = property(lambda t: t.nbytes / 1000), 1


# %% answer="held_by_chain" style="help of two classes of the engine"
help(mg.no_grad)
help(mg.nn.Linear)

def held_by_chain(steps, rows, columns):
    u = rows * columns * 4
    pairs = list(zip(steps, [*steps[1:], None]))
    return sum(a in ("tanh", "exp") or b in ("square", None) for a, b in pairs) * u, u


# %% answer="held_by_chain" style="help of Function and of a list, the text of another kept"
import pydoc

help(mg.autograd.Function)
help(list)
TEXT = pydoc.render_doc(mg.nn.Sequential)

def held_by_chain(steps, rows, columns):
    u = rows * columns * 4
    pairs = list(zip(steps, [*steps[1:], None]))
    return sum(a in ("tanh", "exp") or b in ("square", None) for a, b in pairs) * u, u


# %% answer="held_by_chain" style="what derives from Module, printed for curiosity"
print(sorted(one.__name__ for one in mg.nn.Module.__subclasses__())[:5])

def held_by_chain(steps, rows, columns):
    u = rows * columns * 4
    pairs = list(zip(steps, [*steps[1:], None]))
    return sum(a in ("tanh", "exp") or b in ("square", None) for a, b in pairs) * u, u


# %% answer="held_by_chain" style="the source of a layer read, a stray import of an editor's"
import inspect
from tkinter import W

print(inspect.getsource(mg.nn.Linear)[:99], W)

def held_by_chain(steps, rows, columns):
    u = rows * columns * 4
    pairs = list(zip(steps, [*steps[1:], None]))
    return sum(a in ("tanh", "exp") or b in ("square", None) for a, b in pairs) * u, u


# %% answer="forgetful_step" style="contextlib.closing-like context manager, f-string debugging"
from contextlib import contextmanager


@contextmanager
def logged(log):
    holder = {}
    yield holder
    print(f"{holder=}"[:60])
    log.append(holder.pop("loss").item())


def forgetful_step(x, w, log):
    """One step, of which the log keeps a number."""
    with logged(log) as holder:
        y = (x @ w).tanh()
        loss = (y * y).sum()
        loss.backward()
        holder["loss"] = loss.detach()


# %% answer="graph_report" style="Counter of an iterative generator walk, getattr with a sentinel enum"
import enum
from collections import Counter, deque


class State(enum.StrEnum):
    KEPT = "kept"
    FREED = "freed"
    NOTHING = "nothing"


def nodes_of(root):
    queue, known = deque([root.grad_fn]), set()
    while queue:
        if (node := queue.popleft()) is None or node in known:
            continue
        known.add(node)
        queue.extend(n for n, _ in node.next_functions)
        yield node


def state(node):
    try:
        saved = [getattr(node, n) for n in dir(node) if n.startswith("_saved")]
    except RuntimeError:
        return State.FREED
    return State.KEPT if any(isinstance(s, mg.Tensor) for s in saved) else State.NOTHING


def graph_report(root):
    """{"kept": n, "freed": n, "nothing": n}."""
    counts = Counter(map(state, nodes_of(root)))
    return {s.value: counts[s] for s in State}


# %% answer="held_by_chain" style="pairwise windows with zip_longest and sum of a generator"
from itertools import zip_longest


def held_by_chain(steps, rows, columns):
    """(bytes before backward, bytes after)."""
    unit = 4 * rows * columns
    pairs = zip_longest(steps, steps[1:], fillvalue="name")
    held = sum(1 for here, above in pairs if here in {"tanh", "exp"} or above in {"square", "name"})
    return held * unit, unit


# %% answer="forgetful_step" style="below %%step, with options, and a call at the end"
%%step --title 'a step' --end
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())


forgetful_step(mg.ones(2, 2), mg.ones(2, 2, requires_grad=True), [])


# %% answer="forgetful_step" style="the cell asks IPython for something, and awaits, before and after"
import asyncio

get_ipython().run_line_magic("matplotlib", "inline")
get_ipython().system("nvidia-smi")
lock = asyncio.Lock()
async with lock:
    await asyncio.sleep(0.01)


def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())


print(_, len(In), Out)
display(await asyncio.gather(*[asyncio.sleep(0, n) for n in range(3)]))


# %% answer="forgetful_step" style="a number is awaited in one cell, and used in another"
import asyncio


async def fetched():
    await asyncio.sleep(0)
    return 2


power = await fetched()
# ==== next cell


def forgetful_step(x, w, log):
    loss = ((x @ w).tanh() ** power).sum()
    loss.backward()
    log.append(loss.item())
