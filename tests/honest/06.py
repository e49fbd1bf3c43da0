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
