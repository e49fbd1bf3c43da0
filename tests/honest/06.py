"""Lesson 06: honest answers in further styles."""


# %% answer="what_a_write_does" style="regex and an Enum of outcomes"
import re
from enum import Enum


class Outcome(str, Enum):
    RIGHT = "right"
    ERROR = "error"
    WRONG = "wrong"


def saved_tensor(op):
    if re.fullmatch(r"a [*/@] b", op):
        return "b"
    if m := re.fullmatch(r"a\.(\w+)\(\)", op):
        return "y" if m.group(1) in ("exp", "tanh") else "a"
    return "a" if "**" in op else None


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    if write.startswith("t = ") or ".clone()" in write:
        return Outcome.RIGHT.value
    if saved_tensor(op) != victim:
        return Outcome.RIGHT.value
    if ".data." in write:
        return Outcome.WRONG.value
    return Outcome.ERROR.value


for op in ["a + b", "a * b", "a.exp()", "a ** 2"]:
    print(op, {v: what_a_write_does(op, v, "t += 1") for v in "aby"})


# %% answer="what_a_write_does" style="two lookup tables and one conditional expression"
SAVED = dict.fromkeys(["a * b", "a / b", "a @ b"], "b")
SAVED.update(dict.fromkeys(["a.exp()", "a.tanh()"], "y"))
SAVED.update({"a ** 2": "a", "a.log()": "a", "a.sin()": "a"})
WRITES = {
    "t += 1": "error",
    "t *= 1": "error",
    "t = t + 1": "right",
    "t.clone().add_(1)": "right",
    "t.detach().add_(1)": "error",
    "t.data.add_(1)": "wrong",
    "no_grad: t += 1": "error",
    "no_grad: t[0] += 1": "error",
}


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    return WRITES[write] if SAVED.get(op) == victim else "right"


assert what_a_write_does("a * b", "b", "t.data.add_(1)") == "wrong"


# %% answer="what_a_write_does" style="a class with version counters, as the engine has them"
class Fake:
    def __init__(self):
        self.version = 0
        self.storage = [0]

    def write(self, counted=True):
        self.storage[0] += 1
        if counted:
            self.version += 1


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    a, b, y = Fake(), Fake(), Fake()
    if op.endswith(" b"):
        kept = b if op[2] in "*/@" else None
    elif "exp" in op or "tanh" in op:
        kept = y
    else:
        kept = a
    if kept is not None:
        version, content = kept.version, list(kept.storage)
    t = {"a": a, "b": b, "y": y}[victim]
    if write in ("t = t + 1", "t.clone().add_(1)"):
        t = Fake()
    t.write(counted=write != "t.data.add_(1)")
    if kept is None:
        return "right"
    if kept.version != version:
        return "error"
    return "right" if kept.storage == content else "wrong"


# %% answer="scaled_layers" style="a closure with nonlocal, called layer by layer"
def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    h = mg.matmul(x, w)

    def layer():
        nonlocal h
        h += 0.1
        h = mg.tanh(h)
        h = mg.matmul(h, w)
        h *= 1 / 2

    while layers > 0:
        layer()
        layers -= 1
    return mg.sum(h)


print(scaled_layers(x, w, 3))


# %% answer="scaled_layers" style="a class with a state attribute, and a check of the peak below"
class Stack:
    def __init__(self, x, w):
        self.w = w
        self.h = x @ w

    def __call__(self):
        self.h.add_(0.1)
        self.h = self.h.tanh()
        self.h = self.h @ self.w
        self.h.mul_(0.5)
        return self


def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    stack = Stack(x, w)
    for _ in range(layers):
        stack()
    return stack.h.sum()


mg.reset_peak_memory_stats()
before = mg.memory_allocated()
loss = scaled_layers(x, w, 4)
print(f"{(mg.max_memory_allocated() - before) / U:.2f} U at the peak")
del loss


# %% answer="graph_bytes" style="a dataclass Layer and set comprehensions"
from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    number: int
    activation: str
    trains: bool


def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    all_layers = [Layer(i, *pair) for i, pair in enumerate(layers)]
    training = [l.number for l in all_layers if l.trains]
    if not training:
        return 0
    active = [l for l in all_layers if l.number >= training[0]]
    inputs = {("out", n - 1) for n in training if n}
    results = {("out", l.number) for l in active if l.activation == "tanh"}
    products = {("prod", l.number) for l in active if l.activation == "sin"}
    return 4 * rows * width * len(inputs | results | products)


# %% answer="graph_bytes" style="one loop with flags and counters, prints commented out"
def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    u = 0
    grad = False
    prev_held = True  # x, which does not count
    for act, trains in layers:
        if trains:
            grad = True
            if not prev_held:
                u += 1
        # print(act, trains, u)
        if grad and act == "sin":
            u += 1
        prev_held = False
        if grad and act == "tanh":
            u += 1
            prev_held = True
    return u * rows * width * 4


assert graph_bytes([("tanh", True)], 2, 2) == 16
assert graph_bytes([("tanh", False), ("shift", True)], 2, 2) == 16


# %% answer="graph_bytes" style="recursion on the rest, numpy dtype for the size of a float"
import numpy as np

FLOAT = np.dtype("float32").itemsize


def count(layers, wanted, held):
    if not layers:
        return 0
    (name, trains), *rest = layers
    n = int(trains and not held)
    wanted = wanted or trains
    if wanted:
        n += name in ("tanh", "sin")
    return n + count(rest, wanted, wanted and name == "tanh")


def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    return count(list(layers), False, True) * rows * width * FLOAT


# %% answer="saved_bytes" style="contextlib.suppress, vars-free dir(), recursion replaced by deque"
from collections import deque
from contextlib import suppress


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    todo, known = deque(), set()
    if root.grad_fn is not None:
        todo.append(root.grad_fn)
        known.add(root.grad_fn)
    sizes = {}
    while todo:
        node = todo.popleft()
        for name in filter(lambda n: n.startswith("_saved_"), dir(node)):
            with suppress(RuntimeError):
                t = getattr(node, name)
                if isinstance(t, mg.Tensor):
                    s = t.untyped_storage()
                    sizes[s.data_ptr()] = s.nbytes()
        if hasattr(type(node), "saved_tensors") or "saved_tensors" in dir(node):
            with suppress(RuntimeError):
                for t in node.saved_tensors:
                    if t is not None:
                        s = t.untyped_storage()
                        sizes[s.data_ptr()] = s.nbytes()
        for parent, _ in node.next_functions:
            if parent is not None and parent not in known:
                known.add(parent)
                todo.append(parent)
    return sum(sizes.values())


y = (x @ w).tanh()
print(saved_bytes(y), U)
del y


# %% answer="saved_bytes" style="a class Report with a property, isinstance by match"
class SaveReport:
    """Collects storages by address."""

    def __init__(self):
        self._by_address = {}

    def add(self, thing):
        match thing:
            case mg.Tensor():
                storage = thing.untyped_storage()
                self._by_address.setdefault(storage.data_ptr(), storage.nbytes())
            case tuple() | list():
                for part in thing:
                    self.add(part)
            case _:
                pass

    @property
    def total(self):
        return sum(self._by_address.values())


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    report = SaveReport()
    nodes, visited = [root.grad_fn], {None}
    while nodes:
        if (node := nodes.pop()) in visited:
            continue
        visited.add(node)
        for name in dir(node):
            if name.startswith(("_saved_", "saved_tensors")):
                try:
                    report.add(getattr(node, name))
                except RuntimeError:
                    break
        nodes.extend(n for n, _ in node.next_functions)
    return report.total


# %% answer="saved_bytes" style="__slots__ looked up, node.__class__ printed, a set of (address, size)"
def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    found, seen = set(), set()
    stack = [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        kind = node.__class__.__name__
        names = [n for n in dir(node) if n.startswith("_saved_")]
        try:
            values = [getattr(node, n) for n in names]
            if "saved_tensors" in dir(node):
                values += list(node.saved_tensors)
        except RuntimeError:
            print("freed:", kind)
            values = []
        for v in values:
            if isinstance(v, mg.Tensor):
                s = v.untyped_storage()
                found.add((s.data_ptr(), s.nbytes()))
        stack += [n for n, _ in node.next_functions]
    return sum(n for _, n in found)


# %% answer="graph_bytes" style="decimal, fractions: none; lru_cache on a tuple of layers"
from functools import lru_cache


@lru_cache(maxsize=None)
def held(layers, wanted=False, input_kept=True):
    if not layers:
        return 0
    activation, trains = layers[0]
    wanted |= trains
    mine = (trains and not input_kept) + (wanted and activation in {"tanh", "sin"})
    return mine + held(layers[1:], wanted, wanted and activation == "tanh")


def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    n = held(tuple(map(tuple, layers)))
    # print(held.cache_info())
    return int(n) * rows * width * 4


# %% answer="what_a_write_does" style="try each op with minigrad once, in another cell: a table of what it saves"
# I measured which tensor each op needs, then wrote the table down
NEEDS = dict(zip("*/@", "bbb"))
NEEDS.update({"**": "a", "exp": "y", "tanh": "y", "log": "a", "sin": "a"})


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    key = op.split()[1] if " " in op else op[2:].rstrip("()")
    need = NEEDS.get(key, "")
    touched = {"t = t + 1": 0, "t.clone().add_(1)": 0, "t.data.add_(1)": 2}.get(write, 1)
    return ("right", "error", "wrong")[touched if victim == need else 0]


# %% answer="what_a_write_does" style="StrEnum members returned"
from enum import StrEnum

class Outcome(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    ERROR = "error"

def what_a_write_does(op, victim, write):
    saved = {"a * b": "b", "a / b": "b", "a @ b": "b", "a.exp()": "y", "a.tanh()": "y", "a.log()": "a", "a.sin()": "a", "a ** 2": "a"}
    if saved.get(op) != victim or write in ("t = t + 1", "t.clone().add_(1)"):
        return Outcome.RIGHT
    return Outcome.WRONG if ".data" in write else Outcome.ERROR


# %% answer="what_a_write_does" style="numpy str"
import numpy as np
def what_a_write_does(op, victim, write):
    saved = {"a * b": "b", "a / b": "b", "a @ b": "b", "a.exp()": "y", "a.tanh()": "y", "a.log()": "a", "a.sin()": "a", "a ** 2": "a"}
    answers = np.array(["right", "error", "wrong"])
    hit = saved.get(op) == victim and write not in ("t = t + 1", "t.clone().add_(1)")
    return answers[hit * (1 + (".data" in write))]


# %% answer="scaled_layers" style="in-place tanh_, mul_ and add_ in a chain, a type-hinted signature"
def scaled_layers(x: mg.Tensor, w: mg.Tensor, layers: int) -> mg.Tensor:
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    h = mg.matmul(x, w)
    for _ in range(layers):
        h = h.add_(0.1).tanh_()
        h = mg.matmul(h, w).mul_(0.5)
    return mg.sum(h)


# %% answer="graph_bytes" style="names of tensors as strings in a set, f-strings, two passes"
def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    first = next((k for k, (_, t) in enumerate(layers) if t), None)
    if first is None:
        return 0
    tensors = {f"h{k}" for k, (_, t) in enumerate(layers) if t and k}
    for k in range(first, len(layers)):
        act = layers[k][0]
        if act == "tanh":
            tensors.add(f"h{k + 1}")
        elif act == "sin":
            tensors.add(f"p{k + 1}")
    return float(len(tensors) * rows * width * 4)


# %% answer="graph_bytes" style="numpy int, zero"
import numpy as np
def graph_bytes(layers, rows, width):
    acts = np.array([a for a, _ in layers]); trains = np.array([t for _, t in layers], bool)
    wanted = np.logical_or.accumulate(trains)
    result = wanted & (acts == "tanh")
    result[:-1] |= trains[1:]
    return (result.sum() + (wanted & (acts == "sin")).sum()) * rows * width * 4


# %% answer="saved_bytes" style="the saved_by of the set-up cell, a try around it, sum over a dict"
def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    found, seen, stack = {}, set(), [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack.extend(n for n, _ in node.next_functions)
        try:
            ts = list(saved_by(node).values())
            ts.extend(t for t in getattr(node, "saved_tensors", []) if t is not None)
        except RuntimeError:
            continue
        for t in ts:
            s = t.untyped_storage()
            found[s.data_ptr()] = s.nbytes()
    return sum(found.values())


# %% answer="saved_bytes" style="a class that walks, vars of a dict, is_tensor, a generator of storages"
class Walker:
    def __init__(self, root):
        self.queue, self.known = [root.grad_fn] if root.grad_fn else [], set()

    def __iter__(self):
        return self

    def __next__(self):
        while self.queue:
            node = self.queue.pop()
            if id(node) in self.known:
                continue
            self.known.add(id(node))
            self.queue += [n for n, _ in node.next_functions if n]
            return node
        raise StopIteration


def tensors(node):
    for name in dir(node):
        if name.startswith("_saved_") or name == "saved_tensors":
            try:
                value = getattr(node, name)
            except RuntimeError:
                continue
            yield from (v for v in (value if isinstance(value, (tuple, list)) else [value]) if mg.is_tensor(v))


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    nodes = list(Walker(root))
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage() for n in nodes for t in tensors(n)}
    return sum(map(lambda s: s.nbytes(), storages.values()))


# %% answer="saved_bytes" style="numpy sum of fromiter"
import numpy as np
def saved_bytes(root):
    found, seen, wait = {}, set(), [root.grad_fn]
    while wait:
        n = wait.pop()
        if n is None or n in seen: continue
        seen.add(n); wait += [p for p, _ in n.next_functions]
        try:
            ts = [getattr(n, a) for a in dir(n) if a.startswith("_saved_")] + list(getattr(n, "saved_tensors", ()))
        except RuntimeError:
            continue
        found.update((t.untyped_storage().data_ptr(), t.untyped_storage().nbytes()) for t in ts if mg.is_tensor(t))
    return np.fromiter(found.values(), dtype=np.int64).sum()


# %% answer="what_a_write_does" style="regular expression on the op text, dict of sets, no loops"
import re

SAVED_BY = {"*": "b", "/": "b", "@": "b", "**": "a", "exp": "y", "tanh": "y", "log": "a", "sin": "a", "+": "", "-": ""}
NEW_BYTES = {"t = t + 1", "t.clone().add_(1)"}
UNSEEN = {"t.data.add_(1)"}


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    kind = re.search(r"\*\*|[-+*/@]|exp|tanh|log|sin", op).group()
    print(f"{op=} {kind=} {victim=} {write=}")
    if victim not in SAVED_BY[kind] or write in NEW_BYTES:
        return "right"
    return "wrong" if write in UNSEEN else "error"


# quick look whether the table is right
for text in ("a + b", "a - b", "a * b", "a / b", "a @ b", "a ** 2", "a.exp()", "a.tanh()", "a.log()", "a.sin()"):
    a, b = mg.full((4, 4), 0.5, requires_grad=True).clone(), mg.full((4, 4), 2.0)
    y = eval(text)
    print(f"{text:<10}", saved_by(y.grad_fn).keys())
del a, b, y


# %% answer="scaled_layers" style="minimal mend, prints memory at each layer"
def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    start = mg.memory_allocated()
    h = x @ w
    for i in range(layers):
        h += 0.1
        h = h.tanh()
        h = h @ w
        h *= 0.5      # half of h @ w is (half of h) @ w
        print(f"layer {i}: {(mg.memory_allocated() - start) / h.nbytes:.1f} U")
    return h.sum()


scaled_layers(x, w, 4).backward()
w.grad = None


# %% answer="scaled_layers" style="functools.reduce over small steps, methods with underscore, comparison with the slow version at the end"
import functools
import itertools
import operator


def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    one_layer = (
        operator.methodcaller("add_", 0.1),
        operator.methodcaller("tanh"),
        lambda h: h @ w,
        operator.methodcaller("mul_", 0.5),   # moved behind the product
    )
    first = (lambda h: h @ w,)    # not as the start value of reduce: the call would hold it
    steps = itertools.chain(first, *itertools.repeat(one_layer, layers))
    return functools.reduce(lambda h, step: step(h), steps, x).sum()


def slow(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h = ((h + 0.1).tanh() * 0.5) @ w
    return h.sum()


a, b = slow(x, w, 3), scaled_layers(x, w, 3)
print("equal:", mg.allclose(a, b))
ga, gb = (mg.autograd.grad(t, [w])[0] for t in (a, b))
print("gradients equal:", mg.allclose(ga, gb))
del a, b, ga, gb


# %% answer="graph_bytes" style="dataclass Layer, any/accumulate, set of pairs, tried with minigrad at the bottom"
from dataclasses import dataclass
from itertools import accumulate
from operator import or_


@dataclass(frozen=True)
class Layer:
    number: int
    activation: str
    trains: bool
    recorded: bool

    @property
    def keeps(self):
        if self.trains and self.number:
            yield "result", self.number - 1
        if self.recorded:
            match self.activation:
                case "tanh":
                    yield "result", self.number
                case "sin":
                    yield "product", self.number


def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    recorded = accumulate((trains for _, trains in layers), or_)
    kept = {
        pair
        for number, ((activation, trains), on) in enumerate(zip(layers, recorded))
        for pair in Layer(number, activation, trains, on).keeps
    }
    return len(kept) * rows * width * 4


def really(layers, rows, width):
    data = mg.full((rows, width), 0.1)
    weights = [mg.full((width, width), 0.1, requires_grad=trains) for _, trains in layers]
    start = mg.memory_allocated()
    h = data
    for (activation, _), weight in zip(layers, weights):
        h = h @ weight
        h = h + 1 if activation == "shift" else getattr(h, activation)()
    loss = h.sum()
    del h
    return mg.memory_allocated() - start - 4


for case in ([("tanh", True), ("shift", False)], [("sin", False), ("sin", True), ("shift", False), ("tanh", True)]):
    print(case, graph_bytes(case, 6, 3), really(case, 6, 3))


# %% answer="saved_bytes" style="generators and a ChainMap-free dict union, isinstance filter"
def nodes_of(root):
    todo, done = [root.grad_fn], set()
    while todo:
        if (node := todo.pop()) is not None and node not in done:
            done.add(node)
            todo += [target for target, _ in node.next_functions]
            yield node


def tensors_of(node):
    try:
        values = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        values += getattr(node, "saved_tensors", ())
    except RuntimeError:
        return []
    return [value for value in values if isinstance(value, mg.Tensor)]


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    storages = (t.untyped_storage() for node in nodes_of(root) for t in tensors_of(node))
    return sum({s.data_ptr(): s.nbytes() for s in storages}.values())


print(saved_bytes((x @ w).tanh().sum()), "of", U)


# %% answer="saved_bytes" style="a class with a worklist and statistics, logging, __call__"
import logging

logger = logging.getLogger(__name__)


class Walker:
    def __init__(self):
        self.storages = {}
        self.nodes = 0
        self.freed = 0

    def look_at(self, node):
        self.nodes += 1
        try:
            slots = {n: getattr(node, n) for n in dir(node) if n.startswith("_saved_")}
            own = getattr(node, "saved_tensors", None) or ()
        except RuntimeError as e:
            self.freed += 1
            logger.debug("%s: %s", node, e)
            return
        for t in (*slots.values(), *own):
            if isinstance(t, mg.Tensor):
                storage = t.untyped_storage()
                self.storages.setdefault(storage.data_ptr(), storage.nbytes())

    def __call__(self, root):
        waiting = [root.grad_fn] if root.grad_fn else []
        seen = set(waiting)
        while waiting:
            node = waiting.pop()
            self.look_at(node)
            for target, _ in node.next_functions:
                if target and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return sum(self.storages.values())


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    walker = Walker()
    total = walker(root)
    logger.info("%d nodes, %d of them freed: %d B", walker.nodes, walker.freed, total)
    return total


# %% answer="what_a_write_does" style="ast.parse of the op to find its kind, frozenset of pairs, comment about eval"
import ast

OPERATORS = {ast.Mult: "b", ast.Div: "b", ast.MatMult: "b", ast.Pow: "a", ast.Add: None, ast.Sub: None}
METHODS = {"exp": "y", "tanh": "y", "log": "a", "sin": "a"}


def saved_by_op(op):
    # no eval: it would make tensors
    match ast.parse(op.strip(), mode="eval").body:
        case ast.BinOp(op=kind):
            return OPERATORS[type(kind)]
        case ast.Call(func=ast.Attribute(attr=name)):
            return METHODS[name]
    raise ValueError(op)


def what_a_write_does(op, victim, write):
    """ "right", "error" or "wrong"."""
    if saved_by_op(op) != victim:
        return "right"
    writes_elsewhere = write in ("t = t + 1", "t.clone().add_(1)")
    hidden = ".data." in write
    return "right" if writes_elsewhere else "wrong" if hidden else "error"


# %% answer="scaled_layers" style="with comments, peak measured at the bottom with tracemalloc and perf_counter"
import time
import tracemalloc


def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    h = x @ w
    for _ in range(layers):
        h += 0.1       # nobody has saved the product
        h = h.tanh()   # saved by its node, so hands off
        h = h @ w      # saves the tanh, the same storage
        h *= 0.5       # nobody has saved the product
    return h.sum()


tracemalloc.start()
t0 = time.perf_counter()
scaled_layers(x, w, 3)
print(f"{time.perf_counter() - t0 = :.4f} s", tracemalloc.get_traced_memory())
tracemalloc.stop()


# %% answer="graph_bytes" style="bit flags, fold from the left, __main__ guard, random trial programs"
import random

random.seed(0)


def graph_bytes(layers, rows, width):
    """Bytes held; `layers` is a list such as [("tanh", True), ("shift", False)]."""
    kept, on = set(), False
    for i, (activation, trains) in enumerate(layers):
        if trains and i > 0:
            kept.add(2 * i - 1)             # the result of the layer before
        on |= trains
        if on and activation == "tanh":
            kept.add(2 * i + 1)             # its result
        if on and activation == "sin":
            kept.add(2 * i)                 # its input, the product
    return 4 * rows * width * len(kept)


def measured(layers, rows, width):
    h = mg.full((rows, width), 0.1)
    ws = [mg.full((width, width), 0.1, requires_grad=trains) for _, trains in layers]
    keep_x, start = h, mg.memory_allocated()
    for (activation, _), weight in zip(layers, ws):
        h = h @ weight
        h = {"tanh": h.tanh, "sin": h.sin, "shift": lambda: h + 1}[activation]()
    loss = h.sum()
    del h
    return mg.memory_allocated() - start - loss.nbytes


if __name__ == "__main__":
    for _ in range(10):
        layers = [(random.choice(["tanh", "sin", "shift"]), random.random() < 0.5) for _ in range(4)]
        assert graph_bytes(layers, 5, 3) == measured(layers, 5, 3), layers


# %% answer="saved_bytes" style="heapq-free breadth first with two sets, try around hasattr, file-less report in a list"
report = []


def saved_bytes(root):
    """Bytes of all storages that the nodes from `root.grad_fn` on have saved."""
    report.clear()
    level, seen, sizes = {root.grad_fn} - {None}, set(), {}
    while level:
        seen |= level
        for node in level:
            try:
                found = [getattr(node, n) for n in dir(node) if n.startswith("_saved_")]
                if hasattr(node, "saved_tensors"):
                    found += node.saved_tensors
            except RuntimeError:
                report.append(f"{node.name()}: freed")
                continue
            for t in found:
                if type(t).__name__ in ("Tensor", "Parameter"):
                    s = t.untyped_storage()
                    sizes[s.data_ptr()] = s.nbytes()
                    report.append(f"{node.name()}: {tuple(t.shape)}, {s.nbytes()} B")
        level = {t for node in level for t, _ in node.next_functions if t is not None} - seen
    return sum(sizes.values())


print(saved_bytes((x @ w).tanh().sum()), *report, sep="\n")


# %% answer="scaled_layers" style="assert against the slow version inside a debug flag, atexit message, sys.stdout swapped and restored"
import atexit
import io
import sys

atexit.register(print, "bye from scaled_layers")


def scaled_layers(x, w, layers):
    """The sum after that many layers: add 0.1, take the tanh, halve it, multiply by w."""
    screen, sys.stdout = sys.stdout, io.StringIO()
    try:
        h = x @ w
        for i in range(layers):
            h += 0.1
            h = h.tanh()
            h = h @ w
            h *= 0.5
            print(i, h)
        return h.sum()
    finally:
        text, sys.stdout = sys.stdout.getvalue(), screen
        print(len(text), "characters of debug output")
