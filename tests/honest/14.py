"""Lesson 14: honest answers in further styles."""


# %% answer="used_and_reserved" style="a class Pool with methods, dataclass Segment, bisect"
from bisect import bisect_left
from dataclasses import dataclass


def rounded(floats, step=512):
    return (4 * floats + step - 1) // step * step


@dataclass
class Pool:
    used: int = 0
    reserved: int = 0

    def __post_init__(self):
        self.free = []  # sizes of whole free segments, sorted
        self.rest = 0

    @property
    def pair(self):
        return [self.used, self.reserved]

    def make(self, size):
        i = bisect_left(self.free, size)
        if i < len(self.free):
            self.free.pop(i)  # the segment is cut
        else:
            self.reserved += size
        self.used += size

    def drop(self, size):
        self.used -= size
        self.free.append(size)
        self.free.sort()

    def empty_cache(self):
        self.reserved -= sum(self.free)
        self.free.clear()


def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    pool, pairs = Pool(), []
    for n in sizes:
        pool.make(rounded(n))
    pairs.append(pool.pair)
    for place in dropped:
        pool.drop(rounded(sizes[place]))
    pairs.append(pool.pair)
    pool.make(rounded(more))
    pairs.append(pool.pair)
    pool.empty_cache()
    pairs.append(pool.pair)
    return pairs


print(used_and_reserved([128, 256], [1], 100))


# %% answer="used_and_reserved" style="formula with min and default, divmod, one-letter names"
def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    def r(n):
        q, m = divmod(4*n, 512)
        return 512*(q + (m > 0))
    A = sum(map(r, sizes))
    d = [r(sizes[i]) for i in dropped]
    D = sum(d); M = r(more)
    t = min((s for s in d if s >= M), default=0)
    R = A if t else A + M
    U = A - D + M
    return [[A, A], [A - D, A], [U, R], [U, R - D + t]]


# %% answer="used_and_reserved" style="Counter of free sizes, numpy ceil, nested function"
from collections import Counter

import numpy as np


def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    blocks = (np.ceil(np.array(list(sizes) + [more]) * 4 / 512) * 512).astype(int).tolist()
    *given, new = blocks
    free = Counter(given[i] for i in dropped)
    history = []

    def note(u, r):
        history.append([u, r])

    used = reserved = sum(given)
    note(used, reserved)
    used -= sum(free.elements())
    note(used, reserved)
    big_enough = sorted(size for size in free.elements() if size >= new)
    if big_enough:
        free[big_enough[0]] -= 1
    else:
        reserved += new
    used += new
    note(used, reserved)
    reserved -= sum(free.elements())
    note(used, reserved)
    return history


# %% answer="fit_on_gpu" style="a context manager for a step without gradient, device as a string"
from contextlib import contextmanager

DEVICE = "cuda"


@contextmanager
def step_of(w):
    try:
        with mg.no_grad():
            yield
    finally:
        w.grad = None


def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.detach().to(DEVICE)
    w.requires_grad_(True)
    assert w.is_leaf
    for x in batches:
        (x.to(DEVICE) * w).tanh().sum().backward()
        with step_of(w):
            w.sub_(w.grad * rate)
    return w


fitted = fit_on_gpu(mg.ones(3), [mg.ones(3)], 0.1)
print(fitted, fitted.is_leaf, fitted.grad)
del fitted


# %% answer="fit_on_gpu" style="reduce over the batches with partial, autograd.grad"
from functools import partial, reduce


def descend(rate, w, x):
    loss = mg.tanh(x.cuda() * w).sum()
    grad = mg.autograd.grad(loss, w)[0]
    del loss
    with mg.no_grad():
        w -= grad * rate
    return w


def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    return reduce(partial(descend, rate), batches, start.cuda().requires_grad_())


# %% answer="dies_on" style="ExitStack brings all home, a generator runs the blocks"
from contextlib import ExitStack


def run(blocks, h):
    for number, block in enumerate(blocks, start=1):
        yield number
        h = block(h)


def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    number = 0
    with ExitStack() as stack:
        for block in blocks:
            stack.callback(block.cpu)
        stack.enter_context(mg.cuda.simulate(size))
        try:
            for block in blocks:
                block.cuda()
            for number in run(blocks, x.cuda()):
                pass
            number = None
        except mg.cuda.OutOfMemoryError as error:
            print(str(error)[:60])
    return number


# %% answer="dies_on" style="try with else and finally, nested functions, perf_counter"
import time


def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    started = time.perf_counter()
    card = mg.cuda.simulate(size)
    block_number = 0

    def to_all(method):
        for block in blocks:
            getattr(block, method)()

    def forward(h):
        nonlocal block_number
        while block_number < len(blocks):
            block_number += 1
            h = blocks[block_number - 1](h)

    with card:
        try:
            to_all("cuda")
            forward(x.to("cuda"))
        except mg.cuda.OutOfMemoryError:
            return block_number
        else:
            return None
        finally:
            to_all("cpu")
            # print(time.perf_counter() - started)


# %% answer="dies_on" style="recursion over the blocks, an own exception class"
class DiesAt(Exception):
    def __init__(self, number):
        super().__init__(f"out of memory in block {number}")
        self.number = number


def go(blocks, h, number=1):
    if not blocks:
        return
    first, *rest = blocks
    try:
        h = first(h)
    except mg.cuda.OutOfMemoryError:
        raise DiesAt(number) from None
    go(rest, h, number + 1)


def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    try:
        with mg.cuda.simulate(size):
            try:
                moved = [block.to("cuda") for block in blocks]
                h = x.to("cuda")
            except mg.cuda.OutOfMemoryError:
                raise DiesAt(0) from None
            go(moved, h)
    except DiesAt as death:
        return death.number
    finally:
        for block in blocks:
            block.to("cpu")
    return None


# %% answer="allocated" style="an Enum of holders and set algebra"
from enum import Enum


class Holder(Enum):
    A = "a"
    B = "b"
    C = "c"
    D = "d"
    E = "e"


def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    block = 512
    unit = ((rows * columns * 4 - 1) // block + 1) * block
    everything = set(Holder)
    named = everything - {Holder(name) for name in deleted}
    saved = {Holder.B, Holder.D}
    counts = [len(everything), len(named | saved), len(named) + 1]
    return [n * unit + block for n in counts]


assert allocated(1, 1, []) == [3072, 3072, 3584]


# %% answer="allocated" style="counts as a formula, and a lambda"
allocated = lambda rows, columns, deleted: [  # noqa: E731
    n * (-(-rows * columns // 128) * 512) + 512
    for n in (
        5,
        5 - len({"c", "e"} & set(deleted)),
        6 - len(set(deleted)),
    )
]


# %% answer="allocated" style="references counted with Counter, line by line"
from collections import Counter


def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    bytes_of = 4 * rows * columns
    while bytes_of % 512:
        bytes_of += 1
    refs = Counter()

    def total():
        return sum(bytes_of if n != "loss" else 512 for n, count in refs.items() if count > 0)

    refs.update(["a", "b", "c", "d", "e", "loss"])  # the names
    refs.update(["b", "b", "d"])  # saved by exp, by sin, by tanh
    result = [total()]
    refs.subtract(deleted)
    result.append(total())
    refs.subtract(["b", "b", "d"])
    refs["a.grad"] += 1
    result.append(total())
    return result


# %% answer="fit_on_gpu" style="warnings recorded while trying the wrong way first"
import warnings


def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.clone().cuda()
    w.requires_grad = True
    for x in batches:
        y = (x.cuda() * w).tanh()
        y.sum().backward()
        del y
        with mg.no_grad():
            w.add_(w.grad, alpha=-rate)
        w.grad = None
    return w


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    wrong = mg.ones(3, requires_grad=True).cuda()
    (wrong * 2).sum().backward()
    print(wrong.grad, [str(one.message)[:40] for one in caught])
del wrong


# %% answer="fit_on_gpu" style="looks at .grad of a tensor that is no leaf, the warning printed"
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.to("cuda").detach().requires_grad_()
    for x in batches:
        loss = (x.to(w.device) * w).tanh().sum()
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


t = mg.ones(3, requires_grad=True).cuda()
t.sum().backward()
print(t.grad)


# %% answer="dies_on" style="deepcopy of the blocks goes to the card, the originals stay"
import copy


def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    n = 0
    with mg.cuda.simulate(size):
        try:
            mine = mg.nn.Sequential(*copy.deepcopy(list(blocks))).cuda()
            h = x.cuda()
            for block in mine:
                n += 1
                h = block(h)
        except mg.cuda.OutOfMemoryError:
            return n
        finally:
            mine = h = None
    return None


# %% answer="used_and_reserved" style="integer rounding with bit masks, sorted kept list and a for-else"
def round512(n):
    return (n * 4 + 511) & ~511


def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    blocks = {i: round512(n) for i, n in enumerate(sizes)}
    used = reserved = sum(blocks.values())
    log = [(used, reserved)]
    free = sorted(blocks.pop(i) for i in dropped)
    used = sum(blocks.values())
    log.append((used, reserved))
    need = round512(more)
    used += need
    for k, size in enumerate(free):
        if size >= need:
            free.pop(k)
            break
    else:
        reserved += need
    log.append((used, reserved))
    reserved -= sum(free)
    log.append((used, reserved))
    return log


# %% answer="used_and_reserved" style="namedtuples inside"
from collections import namedtuple
M = namedtuple("M", "used reserved")
def used_and_reserved(sizes, dropped, more):
    r = lambda n: -(-n * 4 // 512) * 512
    seg = [r(s) for s in sizes]
    free = [seg[i] for i in dropped]
    a = M(sum(seg), sum(seg)); b = M(a.used - sum(free), a.reserved)
    fit = [f for f in free if f >= r(more)]
    if fit: free.remove(min(fit))
    c = M(b.used + r(more), b.reserved + (0 if fit else r(more)))
    return [a, b, c, M(c.used, c.reserved - sum(free))]


# %% answer="fit_on_gpu" style="to(device) habit, SGD, detach().to().requires_grad_(), set_to_none"
DEVICE = mg.device("cuda" if mg.cuda.is_available() else "cpu")


# ==== next cell
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    device = mg.device("cuda")
    w = start.detach().to(device).requires_grad_(True)
    optimizer = mg.optim.SGD([w], lr=rate)
    for batch in batches:
        optimizer.zero_grad()
        loss = mg.sum(mg.tanh(batch.to(device) * w))
        loss.backward()
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return w


# %% answer="fit_on_gpu" style="nn.Parameter, autograd.grad, data.sub_, prints device and is_leaf"
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.cuda()
    w.requires_grad = True
    print(w.device, w.is_leaf, w.requires_grad)
    for i in range(len(batches)):
        x = batches[i].cuda()
        (g,) = mg.autograd.grad((x * w).tanh().sum(), w)
        w.data.sub_(g, alpha=rate)
        print("step", i)
    return w


# %% answer="fit_on_gpu" style="copy.deepcopy of start, Module.to, an optimizer made once, set_to_none"
import copy


class Scale(mg.nn.Module):
    def __init__(self, start):
        super().__init__()
        self.w = mg.nn.Parameter(start.clone())

    def forward(self, x):
        return (x * self.w).tanh().sum()


def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    net = Scale(start).to("cuda")
    sgd = mg.optim.SGD(net.parameters(), lr=rate)
    for x in batches:
        sgd.zero_grad()
        net(x.to("cuda")).backward()
        sgd.step()
    sgd.zero_grad(set_to_none=True)
    return net.w


# %% answer="fit_on_gpu" style="Parameter only"
def fit_on_gpu(start, batches, rate):
    w = mg.nn.Parameter(start.cuda())
    for x in batches:
        (x.cuda() * w).tanh().sum().backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


# %% answer="fit_on_gpu" style="Module.to, w -= by hand"
class Scale(mg.nn.Module):
    def __init__(self, start):
        super().__init__()
        self.w = mg.nn.Parameter(start.clone())

    def forward(self, x):
        return (x * self.w).tanh().sum()

def fit_on_gpu(start, batches, rate):
    net = Scale(start).to("cuda")
    for x in batches:
        net(x.to("cuda")).backward()
        with mg.no_grad():
            net.w -= rate * net.w.grad
        net.w.grad = None
    return net.w


# %% answer="fit_on_gpu" style="Module made on cuda"
class Scale(mg.nn.Module):
    def __init__(self, start):
        super().__init__()
        self.w = mg.nn.Parameter(start)

    def forward(self, x):
        return (x * self.w).tanh().sum()

def fit_on_gpu(start, batches, rate):
    net = Scale(start.cuda())
    for x in batches:
        net(x.to("cuda")).backward()
        with mg.no_grad():
            net.w -= rate * net.w.grad
        net.w.grad = None
    return net.w


# %% answer="fit_on_gpu" style="zero_grad keeps zeros until end"
def fit_on_gpu(start, batches, rate):
    w = start.cuda().requires_grad_()
    opt = mg.optim.SGD([w], lr=rate)
    for x in batches:
        (x.cuda() * w).tanh().sum().backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
    w.grad = None
    return w


# %% answer="fit_on_gpu" style="zero_grad first"
def fit_on_gpu(start, batches, rate):
    w = start.cuda().requires_grad_()
    opt = mg.optim.SGD([w], lr=rate)
    for x in batches:
        opt.zero_grad()
        (x.cuda() * w).tanh().sum().backward()
        opt.step()
    w.grad = None
    return w


# %% answer="dies_on" style="start and stop of the simulator in try and finally, Sequential-free index"
def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    card = mg.cuda.simulate(size)
    card.start()
    done = 0
    answer = None
    try:
        [b.cuda() for b in blocks]
        h = x.cuda()
        done = 1
        while done <= len(blocks):
            h = blocks[done - 1](h)
            done += 1
    except mg.cuda.OutOfMemoryError as error:
        answer = done
        print(str(error)[:40])
    finally:
        h = None
        for b in blocks:
            b.to("cpu")
        card.stop()
    return answer


# %% answer="dies_on" style="numpy int"
import numpy as np
def dies_on(blocks, x, size):
    at = np.int64(0)
    with mg.cuda.simulate(size):
        try:
            for b in blocks: b.cuda()
            h = x.cuda()
            for at in np.arange(1, len(blocks) + 1):
                h = blocks[at - 1](h)
            at = None
        except mg.cuda.OutOfMemoryError:
            pass
    for b in blocks: b.cpu()
    return at


# %% answer="allocated" style="a dict of tensors with names and savers, simulated line by line"
def ceil512(n):
    return 512 * ((n + 511) // 512)


def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    size = {t: ceil512(4 * rows * columns) for t in "abcde"} | {"loss": ceil512(4), "grad": ceil512(4 * rows * columns)}
    names, saved = set("abcde") | {"loss"}, set("bd")
    count = lambda: sum(size[t] for t in names | saved)
    result = []
    result.append(count())
    names.difference_update(deleted)
    result.append(count())
    saved.clear()
    names.add("grad")
    result.append(count())
    return tuple(result)


# %% answer="allocated" style="namedtuple"
from collections import namedtuple
A = namedtuple("A", "x y z")
def allocated(rows, columns, deleted):
    u = -(-rows * columns * 4 // 512) * 512
    k = {*"bcde"} - set(deleted)
    return A(5 * u + 512, u * (1 + len(k | {*"bd"})) + 512, u * (2 + len(k)) + 512)


# %% answer="used_and_reserved" style="math.ceil, min with default, prints each moment"
import math

STEP = 512


def steps(floats):
    return math.ceil(4 * floats / STEP) * STEP


def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    used = reserved = sum(map(steps, sizes))
    moments = [[used, reserved]]

    kept = sorted(steps(sizes[i]) for i in set(dropped))
    used -= sum(kept)
    moments.append([used, reserved])

    need = steps(more)
    fitting = min((block for block in kept if block >= need), default=None)
    used += need
    if fitting is None:
        reserved += need
    else:
        kept.remove(fitting)
    moments.append([used, reserved])

    reserved -= sum(kept)
    moments.append([used, reserved])
    for name, (u, r) in zip(["made", "dropped", "one more", "emptied"], moments):
        print(f"{name:<10}{u:>12,}{r:>12,}")
    return moments


# really?
with mg.cuda.simulate(64 * MiB):
    ts = [mg.zeros(n, device="cuda") for n in (1000, 5000, 300)]
    del ts[1]
    t = mg.zeros(2000, device="cuda")
    print(mg.cuda.memory_allocated(), mg.cuda.memory_reserved())
    mg.cuda.empty_cache()
    print(mg.cuda.memory_allocated(), mg.cuda.memory_reserved())
    del ts, t
used_and_reserved([1000, 5000, 300], [1], 2000)


# %% answer="fit_on_gpu" style="one line changed, assert is_leaf"
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.cuda().requires_grad_()
    assert w.is_leaf and w.grad_fn is None
    for x in batches:
        loss = (x.cuda() * w).tanh().sum()
        loss.backward()
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


w = fit_on_gpu(mg.ones(3), [mg.ones(3), mg.zeros(3)], 0.1)
print(w, w.is_leaf, w.device)
del w


# %% answer="fit_on_gpu" style="helper slope with autograd.grad, type hints, retry decorator of his own on the whole"
import functools


def retry(times):
    def decorate(fn):
        @functools.wraps(fn)
        def inner(*args):
            for attempt in range(1, times + 1):
                try:
                    return fn(*args)
                except mg.cuda.OutOfMemoryError:
                    if attempt == times:
                        raise
                    mg.cuda.empty_cache()

        return inner

    return decorate


def slope(x: mg.Tensor, w: mg.Tensor) -> mg.Tensor:
    (g,) = mg.autograd.grad((x.to("cuda") * w).tanh().sum(), [w])
    return g


# ==== next cell
@retry(times=2)
def fit_on_gpu(start: mg.Tensor, batches: "list[mg.Tensor]", rate: float) -> mg.Tensor:
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.to("cuda").requires_grad_(True)
    for x in batches:
        g = slope(x, w)
        with mg.no_grad():
            w.sub_(g.mul_(rate))
    return w


# %% answer="dies_on" style="as the hint, try inside with, finally moves back"
def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    at = 0
    try:
        with mg.cuda.simulate(size):
            try:
                for block in blocks:
                    block.cuda()
                h = x.cuda()
                for at, block in enumerate(blocks, 1):
                    h = block(h)
                at = None
            except mg.cuda.OutOfMemoryError as error:
                print(f"at {at}: {str(error)[:60]}")
    finally:
        for block in blocks:
            block.cpu()
    return at


# %% answer="dies_on" style="generator that yields the number of the block at work, ExitStack with callbacks"
from contextlib import ExitStack, suppress


def at_work(blocks, x):
    yield 0
    for block in blocks:
        block.cuda()
    h = x.cuda()
    for number, block in enumerate(blocks, start=1):
        yield number
        h = block(h)
    yield None


def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""
    last = 0
    with ExitStack() as later:
        for block in blocks:
            later.callback(block.cpu)
        with mg.cuda.simulate(size), suppress(mg.cuda.OutOfMemoryError):
            for last in at_work(blocks, x):
                pass
    return last


blocks = [mg.nn.Linear(64, 64) for _ in range(20)]
print([dies_on(blocks, mg.ones(64, 64), kib * 1024) for kib in (100, 400, 500, 4000)])
del blocks


# %% answer="allocated" style="sets of owners, negative floor division for the ceiling, f-string with ="
def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    unit = -(-rows * columns * 4 // 512) * 512
    loss = 512
    names = {"a", "b", "c", "d", "e"}
    saved = {"b", "d"}           # exp: its result (and sin its input, the same), tanh: its result
    left = names - set(deleted)
    first, second, third = len(names), len(left | saved), len(left) + 1   # + a.grad
    print(f"{unit = } {first = } {second = } {third = }")
    return [unit * n + loss for n in (first, second, third)]


# %% answer="used_and_reserved" style="a toy pool with dataclass segments, heapq for the smallest that fits"
import heapq
from dataclasses import dataclass


@dataclass(order=True)
class Segment:
    size: int
    used: int = 0


class ToyPool:
    def __init__(self):
        self.segments = []

    @staticmethod
    def rounded(floats):
        return (4 * floats + 511) // 512 * 512

    def make(self, floats):
        need = self.rounded(floats)
        free = [s for s in self.segments if s.used == 0 and s.size >= need]
        if free:
            (segment,) = heapq.nsmallest(1, free)
        else:
            self.segments.append(segment := Segment(need))
        segment.used = need
        return segment

    def empty(self):
        self.segments = [s for s in self.segments if s.used]

    def look(self):
        return [sum(s.used for s in self.segments), sum(s.size for s in self.segments)]


def used_and_reserved(sizes, dropped, more):
    """[[used, reserved], ...] after each of the four steps; floats have 4 bytes."""
    pool = ToyPool()
    made = [pool.make(n) for n in sizes]
    moments = [pool.look()]
    for i in dropped:
        made[i].used = 0
    moments.append(pool.look())
    pool.make(more)
    moments.append(pool.look())
    pool.empty()
    moments.append(pool.look())
    return moments


# %% answer="fit_on_gpu" style="prints w and its grad in each step, del of everything, detach first"
def fit_on_gpu(start, batches, rate):
    """The trained weight, a leaf on the GPU; one step for each batch."""
    w = start.detach().cuda()
    w.requires_grad_(True)
    print(w.is_leaf, w.grad_fn)
    for i, x in enumerate(batches):
        on_gpu = x.cuda()
        loss = (on_gpu * w).tanh().sum()
        loss.backward()
        print(i, loss, w.grad)
        with mg.no_grad():
            w -= rate * w.grad
        w.grad = None
        del on_gpu, loss
    return w


# %% answer="dies_on" style="inner function returns the number, try/except/else, memory printed after each block"
def dies_on(blocks, x, size):
    """The block in which forward runs out of memory on a card of `size` bytes; 0 before; None."""

    def forward():
        at = 0
        try:
            for block in blocks:
                block.cuda()
            h = x.cuda()
            for block in blocks:
                at += 1
                h = block(h)
                print(f"block {at}: {mg.cuda.memory_allocated():,} of {size:,} B")
        except mg.cuda.OutOfMemoryError:
            return at
        else:
            return None

    with mg.cuda.simulate(size):
        answer = forward()
        for block in blocks:
            block.cpu()
    return answer


# %% answer="allocated" style="dict of tensors with a set of reasons to live, divmod rounding"
def rounded(n):
    whole, rest = divmod(n, 512)
    return 512 * (whole + bool(rest))


def allocated(rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    unit = rounded(rows * columns * 4)
    reasons = {
        "a": {"name"},
        "b": {"name", "exp's result", "sin's input"},
        "c": {"name"},
        "d": {"name", "tanh's result"},
        "e": {"name"},
    }
    small = rounded(4)

    def total():
        return sum(unit for why in reasons.values() if why) + small

    numbers = [total()]
    for name in deleted:
        reasons[name].discard("name")
    numbers.append(total())
    for why in reasons.values():
        why &= {"name"}
    reasons["a.grad"] = {"a"}
    numbers.append(total())
    return numbers


# %% answer="allocated" style="functools.partial object as the answer, math.ceil"
import functools
import math


def _allocated(step, rows, columns, deleted):
    """[after the lines, after del and empty_cache, after backward and empty_cache], in bytes."""
    u = math.ceil(rows * columns * 4 / step) * step
    gone = {"c", "e"} & set(deleted)
    return [5 * u + step, (5 - len(gone)) * u + step, (2 + 4 - len(set(deleted))) * u + step]


allocated = functools.partial(_allocated, 512)
functools.update_wrapper(allocated, _allocated)
allocated.__name__ = "allocated"


# %% answer="fit_on_gpu" style="a class with a cached_property weight, SGD optimizer"
from functools import cached_property


class Fit:
    def __init__(self, start, rate):
        self.start, self.rate = start, rate

    @cached_property
    def w(self):
        return self.start.to("cuda").requires_grad_(True)

    def step(self, x):
        loss = (x.to("cuda") * self.w).tanh().sum()
        loss.backward()
        with mg.no_grad():
            self.w.sub_(self.rate * self.w.grad)
        self.w.grad = None


def fit_on_gpu(start, batches, rate):
    fit = Fit(start, rate)
    for x in batches:
        fit.step(x)
    return fit.w


# %% answer="dies_on" style="a for-else, exceptions counted by enumerate over chain of actions"
def dies_on(blocks, x, size):
    """The block in which forward runs out of memory; 0 before; None."""
    done = -1
    try:
        with mg.cuda.simulate(size):
            [block.cuda() for block in blocks]
            h = x.cuda()
            done = 0
            for block in blocks:
                h = block(h)
                done += 1
            else:
                return None
    except mg.cuda.OutOfMemoryError as error:
        print("died:", str(error).splitlines()[0])
        return done + 1
    finally:
        for block in blocks:
            block.cpu()
