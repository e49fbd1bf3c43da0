"""Lesson 02: honest answers in further styles."""


# %% answer="count_parts" style="dataclass State, reduce over the steps"
from dataclasses import dataclass, replace
from functools import reduce


@dataclass(frozen=True)
class State:
    grad: bool = True
    ops: int = 0
    nowhere: int = 0
    leaves: frozenset = frozenset({"w"})


def one(state: State, numbered: tuple[int, str]) -> State:
    i, step = numbered
    if step == "no grad":
        return State(grad=False, leaves=frozenset())
    adds = {"plus w": "w", "plus new": f"new{i}"}.get(step)
    if not state.grad and adds is None:
        return state
    none = int(step in {"double", "plus x"}) + int(not state.grad)
    leaves = state.leaves if adds is None else state.leaves | {adds}
    return replace(state, grad=True, ops=state.ops + 1, nowhere=state.nowhere + none, leaves=leaves)


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    end = reduce(one, enumerate(steps), State())
    return end.ops, len(end.leaves), end.nowhere


assert count_parts(["tanh"]) == (1, 1, 0)
assert count_parts(["double", "plus x"]) == (2, 1, 2)
assert count_parts(["no grad"]) == (0, 0, 0)


# %% answer="count_parts" style="a chain of if and elif, prints left in, camelCase"
def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    numberOfOps = 0
    numberOfNones = 0
    numberOfNew = 0
    usesW = True
    wantsGrad = True
    for step in steps:
        if step == "no grad":
            numberOfOps = numberOfNones = numberOfNew = 0
            usesW = False
            wantsGrad = False
        elif step == "plus w":
            numberOfOps += 1
            if wantsGrad == False:
                numberOfNones += 1
            usesW = True
            wantsGrad = True
        elif step == "plus new":
            numberOfOps += 1
            if wantsGrad == False:
                numberOfNones += 1
            numberOfNew += 1
            wantsGrad = True
        elif wantsGrad:
            numberOfOps += 1
            if step == "double" or step == "plus x":
                numberOfNones += 1
        # print("after", step, numberOfOps, numberOfNones)
    numberOfLeaves = numberOfNew + (1 if usesW else 0)
    return (numberOfOps, numberOfLeaves, numberOfNones)


print(count_parts(["tanh", "plus x", "no grad", "plus new"]))


# %% answer="count_parts" style="an Enum of steps, a small class with a method for each, Counter"
from collections import Counter
from enum import Enum


class Step(Enum):
    TANH = "tanh"
    DOUBLE = "double"
    SQUARE = "square"
    PLUS_X = "plus x"
    PLUS_W = "plus w"
    PLUS_NEW = "plus new"
    NO_GRAD = "no grad"


class Book:
    def __init__(self):
        self.count = Counter()
        self.w = self.on = True

    def node(self, nones=0):
        self.count["op"] += 1
        self.count["none"] += nones + (not self.on)
        self.on = True

    def read(self, step):
        match Step(step):
            case Step.NO_GRAD:
                self.count.clear()
                self.w = self.on = False
            case Step.PLUS_W:
                self.node()
                self.w = True
            case Step.PLUS_NEW:
                self.node()
                self.count["leaf"] += 1
            case _ if not self.on:
                pass
            case Step.DOUBLE | Step.PLUS_X:
                self.node(1)
            case _:
                self.node()


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    b = Book()
    for step in steps:
        b.read(step)
    return b.count["op"], b.count["leaf"] + b.w, b.count["none"]


# %% answer="peeks" style="logging, time.perf_counter left in, dict filled by setdefault"
import logging
import time

log = logging.getLogger(__name__)


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    start = time.perf_counter()
    seen = {}
    y = v
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            log.debug("keeping %d", i)
            seen.setdefault(i, y)
    log.info("took %.3f s", time.perf_counter() - start)
    return y, seen


y, seen = peeks(mg.ones(2, requires_grad=True), 4, [0, 2])
print(sorted(seen), y)
del y, seen


# %% answer="peeks" style="a decorator that records the wanted results, wraps"
from functools import wraps


def recorded(wanted, into):
    def decorate(step):
        number = -1

        @wraps(step)
        def wrapper(y):
            nonlocal number
            number += 1
            result = step(y)
            if number in wanted:
                into[number] = result
            return result

        return wrapper

    return decorate


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    values = {}

    @recorded(frozenset(keep), values)
    def double(y):
        return y * 2.0

    for _ in range(layers):
        v = double(v)
    return v, values


# %% answer="topological" style="recursion in a thread-free way: a generator trampoline"
def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    finished, known = [], set()

    def visit(node):
        known.add(node)
        for nxt, _ in node.next_functions:
            if nxt is not None and nxt not in known:
                yield visit(nxt)
        finished.append(node)

    if root.grad_fn is None:
        return []
    stack = [visit(root.grad_fn)]
    while stack:
        try:
            stack.append(next(stack[-1]))
        except StopIteration:
            stack.pop()
    return finished[::-1]


# %% answer="topological" style="itemgetter, defaultdict of indegrees, a deque (Kahn)"
from collections import defaultdict, deque
from operator import itemgetter

target_of = itemgetter(0)


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    if (start := root.grad_fn) is None:
        return []
    indegree = defaultdict(int)
    visited, todo = {start}, deque([start])
    while todo:
        node = todo.popleft()
        for t in filter(None, map(target_of, node.next_functions)):
            indegree[t] += 1
            if t not in visited:
                visited.add(t)
                todo.append(t)
    queue, order = deque([start]), []
    while queue:
        order.append(n := queue.popleft())
        for t in filter(None, map(target_of, n.next_functions)):
            indegree[t] -= 1
            if not indegree[t]:
                queue.append(t)
    assert len(order) == len(visited)
    return order


a = mg.ones(2, requires_grad=True)
b = (a * 2.0 + a).tanh()
names = [n.name() if hasattr(n, "name") else type(n).__name__ for n in topological(b)]
print(names)


# %% answer="topological" style="Python's own recursion with a higher limit in a try/finally, graphlib"
import graphlib


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    sorter = graphlib.TopologicalSorter()
    todo, seen = [root.grad_fn] if root.grad_fn else [], set()
    while todo:
        n = todo.pop()
        if n in seen:
            continue
        seen.add(n)
        parents = [p for p, _ in n.next_functions if p is not None]
        sorter.add(n, *parents)
        todo += parents
    return list(reversed(list(sorter.static_order())))


# %% answer="only_the_node" style="OrderedDict of sizes, a comprehension over text"
from collections import OrderedDict


def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4.

    >>> only_the_node(1, 1, 1)
    [4, 12, 16, 20, 16, 16, 16, 12, 0]
    """
    sizes = OrderedDict(
        x=batch * inputs, weight=inputs * outputs, bias=outputs, out=batch * outputs, total=1
    )
    alive = """x
    x weight bias
    x weight bias out
    x weight bias out total
    x weight bias total
    x weight bias total
    x weight bias total
    x weight bias
    """
    return [4 * sum(sizes[n] for n in row.split()) for row in alive.split("\n")]


import doctest

doctest.run_docstring_examples(only_the_node, {"only_the_node": only_the_node})


# %% answer="only_the_node" style="one-letter names, a while loop"
def only_the_node(b, i, o):
    f = 4
    X = b*i*f; L = (i*o + o)*f; O = b*o*f; T = f
    d = [X, L, O, T, -O, 0, 0, -T, -(X+L)]
    r = []; s = 0; k = 0
    while k < len(d):
        s = s + d[k]
        r.append(s)
        k = k + 1
    return r


# %% answer="only_the_node" style="who is held by whom, as sets with reachability"
def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    FLOATS = {"x": batch * inputs, "W": inputs * outputs, "b": outputs,
              "out": batch * outputs, "total": 1}
    holds = {"layer": {"W", "b"}, "total": {"sumnode"}, "node": {"sumnode"},
             "sumnode": {"linearnode"}, "out": {"linearnode"}, "linearnode": {"x", "W", "b"}}

    def reach(names):
        todo, found = list(names), set()
        while todo:
            n = todo.pop()
            if n not in found:
                found.add(n)
                todo.extend(holds.get(n, ()))
        return sum(4 * FLOATS.get(n, 0) for n in found)

    names, result = set(), []
    for add, remove in [("x", ""), ("layer", ""), ("out", ""), ("total", ""), ("", "out"),
                        ("", "layer"), ("node", ""), ("", "total x"), ("", "node")]:
        names |= set(add.split())
        names -= set(remove.split())
        result.append(reach(names))
    return result


# %% answer="topological" style="sys.setrecursionlimit and a thread with a large stack"
import sys
import threading


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    seen, order = set(), []

    def visit(node):
        if node is None or node in seen:
            return
        seen.add(node)
        for target, _ in node.next_functions:
            visit(target)
        order.append(node)

    old = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    threading.stack_size(256 * 1024 * 1024)
    try:
        t = threading.Thread(target=visit, args=(root.grad_fn,))
        t.start()
        t.join()
    finally:
        sys.setrecursionlimit(old)
        threading.stack_size(0)
    return order[::-1]


# %% answer="topological" style="sys.setrecursionlimit alone"
import sys

sys.setrecursionlimit(50_000)


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    seen, order = {None}, []

    def dfs(node):
        seen.add(node)
        for target, _ in node.next_functions:
            if target not in seen:
                dfs(target)
        order.insert(0, node)

    if root.grad_fn is not None:
        dfs(root.grad_fn)
    return order


# %% answer="count_parts" style="numpy.random for a quick look, eval-free dict, json dump"
import json
import random

NONES = {"double": 1, "plus x": 1}


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    start = max((i for i, s in enumerate(steps) if s == "no grad"), default=-1)
    rest = steps[start + 1 :]
    grad = start < 0
    first = 0 if grad else next((i for i, s in enumerate(rest) if s in ("plus w", "plus new")), None)
    if first is None:
        return 0, 0, 0
    rest = rest[first:]
    leaves = rest.count("plus new") + (grad or "plus w" in rest)
    return len(rest), leaves, sum(NONES.get(s, 0) for s in rest) + (not grad)


random.seed(0)
steps = random.choices(["tanh", "double", "plus x", "plus new", "no grad"], k=5)
print(json.dumps({"steps": steps, "parts": count_parts(steps)}))


# %% answer="peeks" style="frozen dataclass with object.__setattr__, weakref.finalize to watch deaths"
from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    keep: tuple
    found: dict = None

    def __post_init__(self):
        object.__setattr__(self, "found", {})

    def see(self, i, y):
        if i in self.keep:
            self.found[i] = y


deaths = []


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    wanted = Wanted(tuple(keep))
    y = v
    for i in range(layers):
        y = y * 2.0
        weakref.finalize(y, deaths.append, i)
        wanted.see(i, y)
    return y, wanted.found


# %% answer="only_the_node" style="a matplotlib picture of the answer below it"
import matplotlib.pyplot as plt


def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    x = 4 * batch * inputs
    layer = 4 * (inputs + 1) * outputs
    out = 4 * batch * outputs
    r = [x, x + layer, x + layer + out, x + layer + out + 4]
    r += [x + layer + 4] * 3
    r += [x + layer, 0]
    return r


fig, ax = plt.subplots()
ax.step(range(1, 10), only_the_node(8, 4, 2))
ax.set_xlabel("line")
plt.show()


# %% answer="count_parts" style="a linked list of node objects with weak references, walked by recursion"
class N:
    def __init__(self, kind, *edges):
        self.kind, self.edges = kind, edges


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    w = N("leaf")
    node = w
    for s in steps:
        if s == "no grad":
            node = None
            continue
        other = {"double": [None], "plus x": [None], "plus w": [w], "plus new": [N("leaf")], "tanh": []}
        ins = [node, node] if s == "square" else [node] + other[s]
        node = N("op", *ins) if any(i is not None for i in ins) else None
    seen, nowhere = {}, 0

    def visit(n):
        nonlocal nowhere
        if n is None:
            nowhere += 1
            return
        if id(n) in seen:
            return
        seen[id(n)] = n
        for e in n.edges:
            visit(e)

    if node is not None:
        visit(node)
    kinds = [n.kind for n in seen.values()]
    return [kinds.count("op"), kinds.count("leaf"), nowhere]


# %% answer="peeks" style="walrus in a dict comprehension"
def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    y = v
    seen = {i: y for i in range(layers) if (y := y.mul(2.0)) is not None and i in keep}
    return y, seen


# %% answer="peeks" style="itertools.accumulate over the numbers, torch.mul"
from itertools import accumulate


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    wanted, last = {}, v
    for i, y in enumerate(accumulate([2.0] * layers, mg.mul, initial=v), -1):
        if i in keep:
            wanted[i] = y
        last = y
    return last, wanted


# %% answer="peeks" style="a UserDict-free defaultdict, keys as they come in keep"
from collections import defaultdict


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    y, seen = v, defaultdict(lambda: None)
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y
    return y, seen


# %% answer="peeks" style="a list of two returned, dict(zip()) at the end"
def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    y, values = v, []
    keys = sorted(keep)
    for i in range(layers):
        y = 2.0 * y
        if i in keys:
            values.append(y)
    return [y, dict(zip(keys, values))]


# %% answer="peeks" style="SimpleNamespace? MappingProxy"
import types
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y
    return y, dict(seen.items())


# %% answer="peeks" style="namedtuple of y and dict"
from collections import namedtuple
R = namedtuple("R", "y seen")
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y
    return R(y, seen)


# %% answer="topological" style="white, grey and black with iterators on a stack, dict of colours"
WHITE, GREY, BLACK = range(3)


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    start = root.grad_fn
    if start is None:
        return []
    colour = {start: GREY}
    stack = [(start, iter(start.next_functions))]
    finished = []
    while stack:
        node, edges = stack[-1]
        for child, _slot in edges:
            if child is not None and colour.get(child, WHITE) == WHITE:
                colour[child] = GREY
                stack.append((child, iter(child.next_functions)))
                break
        else:
            colour[node] = BLACK
            finished.append(node)
            stack.pop()
    finished.reverse()
    return finished


# %% answer="topological" style="heapq by age, as the engine itself does it: the sequence number of the node"
import heapq


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    nodes, todo = {}, [root.grad_fn]
    while todo:
        n = todo.pop()
        if n is None or id(n) in nodes:
            continue
        nodes[id(n)] = n
        todo.extend(t for t, _ in n.next_functions)
    uses = dict.fromkeys(nodes, 0)
    for n in nodes.values():
        for t, _ in n.next_functions:
            if t is not None:
                uses[id(t)] += 1
    ready = [(0, i) for i, k in uses.items() if k == 0]
    heapq.heapify(ready)
    out, tick = [], 0
    while ready:
        _, i = heapq.heappop(ready)
        out.append(nodes[i])
        for t, _ in nodes[i].next_functions:
            if t is not None:
                uses[id(t)] -= 1
                if uses[id(t)] == 0:
                    tick -= 1
                    heapq.heappush(ready, (tick, id(t)))
    assert len(out) == len(nodes)
    return out


# %% answer="topological" style="depth by relaxing, then sorted by depth: longest path, dict of nodes"
def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    if root.grad_fn is None:
        return []
    found = {}
    todo = [root.grad_fn]
    while todo:
        n = todo.pop()
        if n in found:
            continue
        found[n] = [t for t, _ in n.next_functions if t is not None]
        todo.extend(found[n])
    age = {}
    # a node's height: the longest way down, by an explicit stack
    for start in found:
        stack = [start]
        while stack:
            n = stack[-1]
            missing = [t for t in found[n] if t not in age]
            if missing:
                stack.extend(missing)
            else:
                age[n] = 1 + max((age[t] for t in found[n]), default=0)
                stack.pop()
    return sorted(found, key=age.get, reverse=True)


# %% answer="topological" style="list subclass"
class Order(list):
    pass
def topological(root):
    order, seen, stack = Order(), set(), [(root.grad_fn, 0)]
    while stack:
        n, done = stack.pop()
        if n is None: continue
        if done: order.insert(0, n); continue
        if n in seen: continue
        seen.add(n)
        stack.append((n, 1))
        stack.extend((c, 0) for c, _ in n.next_functions)
    return order


# %% answer="only_the_node" style="a property class of sizes, a list with append, floats"
class Sizes:
    ITEM = 32 / 8

    def __init__(self, b, i, o):
        self.b, self.i, self.o = b, i, o

    @property
    def x(self):
        return self.b * self.i * self.ITEM

    @property
    def weight(self):
        return self.i * self.o * self.ITEM

    @property
    def bias(self):
        return self.o * self.ITEM

    @property
    def out(self):
        return self.b * self.o * self.ITEM


def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    s = Sizes(batch, inputs, outputs)
    res = []
    mem = s.x
    res.append(mem)
    mem += s.weight + s.bias
    res.append(mem)
    mem += s.out
    res.append(mem)
    mem += Sizes.ITEM
    res.append(mem)
    mem -= s.out
    res.append(mem)
    res.append(mem)
    res.append(mem)
    mem -= Sizes.ITEM
    res.append(mem)
    mem -= s.x + s.weight + s.bias
    res.append(mem)
    return res


# %% answer="count_parts" style="state in a NamedTuple, functools.reduce, prints each state"
from functools import reduce
from typing import NamedTuple


class Chain(NamedTuple):
    wants: bool = True
    ops: int = 0
    leaves: frozenset = frozenset({"w"})
    nowhere: int = 0


def one_step(c, numbered):
    i, step = numbered
    if step == "no grad":
        new = Chain(False, 0, frozenset(), 0)
    elif step == "plus w":
        new = Chain(True, c.ops + 1, c.leaves | {"w"}, c.nowhere + (not c.wants))
    elif step == "plus new":
        new = Chain(True, c.ops + 1, c.leaves | {f"new{i}"}, c.nowhere + (not c.wants))
    elif not c.wants:
        new = c                       # data and data: no node
    elif step in ("double", "plus x"):
        new = c._replace(ops=c.ops + 1, nowhere=c.nowhere + 1)
    else:                             # tanh, square
        new = c._replace(ops=c.ops + 1)
    print(f"{i:>2} {step:<10}{new}")
    return new


# ==== next cell
def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    end = reduce(one_step, enumerate(steps), Chain())
    return end.ops, len(end.leaves), end.nowhere


# compare with a real graph
y = w3 = mg.ones(3, requires_grad=True)
y = y.tanh()
y = y * 2.0
y = y + mg.ones(3)
todo, seen, none = [y.grad_fn], set(), 0
while todo:
    n = todo.pop()
    if n in seen:
        continue
    seen.add(n)
    for m, _ in n.next_functions:
        if m is None:
            none += 1
        else:
            todo.append(m)
acc = sum("Accumulate" in type(n).__name__ or "Accumulate" in n.name() for n in seen)
print((len(seen) - acc, acc, none), count_parts(["tanh", "double", "plus x"]))


# %% answer="peeks" style="dict comprehension impossible so a plain loop, logging.debug, sys.getsizeof leftover"
import logging
import sys

log = logging.getLogger("peeks")
log.setLevel(logging.DEBUG)


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    wanted = frozenset(keep)
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in wanted:
            log.debug("keeping %d: %r", i, y.shape)
            seen[i] = y
    print(sys.getsizeof(seen), "bytes of dictionary (not of tensors!)")
    return y, seen


# %% answer="peeks" style="generator of all the values with itertools.accumulate and repeat"
import itertools
import operator


def doublings(v, layers):
    # accumulate holds one value at a time; islice drops v itself
    return itertools.islice(
        itertools.accumulate(itertools.repeat(2.0, layers), operator.mul, initial=v), 1, None
    )


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    found = {}
    y = v
    for i, y in enumerate(doublings(v, layers)):
        if i in keep:
            found[i] = y
    return y, found


v = mg.ones(4, requires_grad=True)
y, found = peeks(v, 5, [1, 3])
y.sum().backward()
print(f"{v.grad = }", found)
del y, found, v


# %% answer="topological" style="Kahn with collections.deque and Counter"
from collections import Counter, deque


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    if root.grad_fn is None:
        return []
    # 1. count what leads to each node
    incoming = Counter()
    known, waiting = {root.grad_fn}, deque([root.grad_fn])
    while waiting:
        for target, _ in waiting.popleft().next_functions:
            if target is None:
                continue
            incoming[target] += 1
            if target not in known:
                known.add(target)
                waiting.append(target)
    # 2. put down
    order, ready = [], deque([root.grad_fn])
    while ready:
        order.append(node := ready.popleft())
        for target, _ in node.next_functions:
            if target is not None:
                incoming[target] -= 1
                if incoming[target] == 0:
                    ready.append(target)
    assert len(order) == len(known), "a ring?"
    return order


print([n.name() for n in topological((x @ w).tanh().sum())])


# %% answer="topological" style="depth first with a stack of iterators, helper generator, time.perf_counter"
import time


def targets(node):
    yield from (t for t, _ in node.next_functions if t is not None)


def post_order(first):
    """nodes, each after everything that it leads to"""
    seen = {first}
    stack = [(first, targets(first))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, targets(target)))
                break
        else:
            stack.pop()
            yield node


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    start = time.perf_counter()
    order = [] if root.grad_fn is None else [*post_order(root.grad_fn)][::-1]
    print(f"{len(order)} nodes in {1000 * (time.perf_counter() - start):.1f} ms")
    return order


# %% answer="only_the_node" style="tries the lines with minigrad at the bottom, pprint"
from pprint import pprint

FLOAT = 4


def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    data = batch * inputs * FLOAT
    layer = (inputs + 1) * outputs * FLOAT
    out = batch * outputs * FLOAT
    alive = [data]
    alive.append(alive[-1] + layer)
    alive.append(alive[-1] + out)
    alive.append(alive[-1] + FLOAT)
    alive.append(alive[-1] - out)     # del out
    alive.append(alive[-1])           # del layer: AccumulateGrad holds the leaves
    alive.append(alive[-1])           # node = ...
    alive.append(alive[-1] - FLOAT)   # del total, x: x is saved
    alive.append(0)
    return alive


def really():
    start = mg.memory_allocated()
    seen = []
    def note():
        seen.append(mg.memory_allocated() - start)
    d = mg.ones(5, 7)
    note()
    layer = mg.nn.Linear(7, 3)
    note()
    out = layer(d)
    note()
    total = out.sum()
    note()
    del out
    note()
    del layer
    note()
    node = total.grad_fn
    note()
    del total, d
    note()
    del node
    note()
    return seen


pprint({"mine": only_the_node(5, 7, 3), "real": really()})


# %% answer="count_parts" style="draws the graph as text lists (nodes and edges), no counting while walking"
import sys
from itertools import count


def build(steps):
    """the graph as {node: [targets]}; a target is a node's number, the name of a leaf, or None"""
    number, graph, new = count(), {}, count()
    y = "w"
    for step in steps:
        if step == "no grad":
            y = None
            continue
        other = {"square": y, "plus w": "w", "plus new": f"new {next(new)}"}.get(step)
        edges = [y] if step == "tanh" else [y, other]
        if edges == [None] * len(edges):
            continue
        graph[node := next(number)] = edges
        y = node
    return y, graph


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    y, graph = build(steps)
    todo, seen, edges = [y], set(), []
    while todo:
        n = todo.pop()
        if n is not None and n not in seen:
            seen.add(n)
            edges += graph.get(n, [])
            todo += graph.get(n, [])
    operations = sum(isinstance(n, int) for n in seen)
    sys.stdout.write(f"{graph}\n")
    return operations, len(seen) - operations, edges.count(None)


# %% answer="peeks" style="%%time at the top, try/except/finally with traceback, weakrefs to see who dies"
%%time
import traceback
import weakref


def peeks(v, layers, keep):
    """(last y, {i: y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    y, kept, watches = v, {}, []
    try:
        for i in range(layers):
            y = y * 2.0
            watches.append(weakref.ref(y))
            if i in keep:
                kept[i] = y
        return y, kept
    except Exception:
        traceback.print_exc()
        raise
    finally:
        alive = [i for i, watch in enumerate(watches) if watch() is not None]
        print("alive:", alive)


_, kept = peeks(mg.ones(3, requires_grad=True), 6, {0, 4})
print(kept)
del _, kept


# %% answer="topological" style="recursion with a raised recursion limit, ids of nodes in a set"
import sys

sys.setrecursionlimit(60_000)


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    seen, order = set(), []

    def visit(node):
        if node is None or id(node) in seen:
            return
        seen.add(id(node))
        for target, _ in node.next_functions:
            visit(target)
        order.append(node)

    visit(root.grad_fn)
    order.reverse()
    return order


# %% answer="only_the_node" style="dict of owners for each line, sum of sizes of a union, memo by functools.cache, %timeit"
from functools import cache


@cache
def _account(batch, inputs, outputs):
    size = {"x": batch * inputs, "W": inputs * outputs, "b": outputs, "out": batch * outputs, "total": 1}
    alive = [
        "x",
        "x W b",
        "x W b out",
        "x W b out total",
        "x W b total",
        "x W b total",
        "x W b total",
        "x W b",
        "",
    ]
    return tuple(4 * sum(size[t] for t in line.split()) for line in alive)


def only_the_node(batch, inputs, outputs):
    """A list of nine numbers of bytes, of lines 1 to 9; a float has 4."""
    return list(_account(batch, inputs, outputs))


%timeit -n 10 -r 1 only_the_node(2, 3, 4)


# %% answer="count_parts" style="compile for short, and a parameter called eval"
import re

compile = re.compile


def count_parts(steps, eval=True):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere) of the chain `steps`."""
    plus = compile("plus")
    wants, operations, leaves, nowhere = eval, 0, {"w"}, 0
    for i, step in enumerate(steps):
        leaf = {"plus w": "w", "plus new": i}.get(step)
        if step == "no grad":
            wants, operations, leaves, nowhere = False, 0, set(), 0
        elif wants or leaf is not None:
            operations += 1
            nowhere += step in ("double", "plus x") or not wants
            leaves |= {leaf} - {None}
            wants = True
    return operations, len(leaves), nowhere


# %% answer="count_parts" style="functools.reduce over a NamedTuple state with _replace and match guards"
from functools import reduce
from typing import NamedTuple


class Parts(NamedTuple):
    wants: bool = True
    ops: int = 0
    leaves: frozenset = frozenset("w")
    nowhere: int = 0


def after(parts: Parts, numbered) -> Parts:
    i, step = numbered
    match step:
        case "no grad":
            return Parts(False, 0, frozenset(), 0)
        case "plus w" | "plus new":
            leaf = "w" if step == "plus w" else i
            return Parts(True, parts.ops + 1, parts.leaves | {leaf}, parts.nowhere + (not parts.wants))
        case _ if not parts.wants:
            return parts
        case "double" | "plus x":
            return parts._replace(ops=parts.ops + 1, nowhere=parts.nowhere + 1)
        case _:
            return parts._replace(ops=parts.ops + 1)


def count_parts(steps):
    """(operation nodes, AccumulateGrad nodes, edges to nowhere)."""
    end = reduce(after, enumerate(steps), Parts())
    return end.ops, len(end.leaves), end.nowhere


# %% answer="peeks" style="itertools.accumulate over the layers, a dict comprehension with a walrus"
from itertools import accumulate, repeat


def peeks(v, layers, keep):
    """(last y, {i: y of layer i})."""
    wanted, seen, y = set(keep), {}, v
    for i, y in enumerate(accumulate(repeat(2.0, layers), lambda y, two: y * two, initial=v), -1):
        if i in wanted:
            seen[i] = y
    return y, seen


assert sorted(peeks(mg.ones(2), 5, [1, 3])[1]) == [1, 3]


# %% answer="topological" style="graphlib of the standard library"
from graphlib import TopologicalSorter


def topological(root):
    """All nodes from `root.grad_fn` on, in an order in which every edge leads on."""
    sorter, todo, seen = TopologicalSorter(), [root.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        sorter.add(node)
        for below, _ in node.next_functions:
            if below is not None:
                sorter.add(below, node)
                todo.append(below)
    return list(sorter.static_order())
